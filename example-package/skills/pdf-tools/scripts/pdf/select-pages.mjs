import { PdfError } from './error.mjs'

/** Turns `1,3-4` into page numbers in the order written; every page when nothing is asked for. */
export function selectPages(wanted, total) {
  if (wanted === undefined) return Array.from({ length: total }, (_, index) => index + 1)
  return wanted.split(',').flatMap((part) => readRange(part.trim(), total))
}

function readRange(part, total) {
  const match = /^(\d+)(?:-(\d+))?$/.exec(part)
  if (!match) throw new PdfError(`"${part}" is not a page or a range of pages; write --pages 2 or --pages 1,3-4`)
  const first = Number(match[1])
  const last = Number(match[2] ?? match[1])
  if (last < first) throw new PdfError(`the range ${part} runs backwards`)
  if (first < 1 || last > total) {
    throw new PdfError(
      `page ${first < 1 ? first : last} does not exist; the file has ${total} ${total === 1 ? 'page' : 'pages'}`,
    )
  }
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}
