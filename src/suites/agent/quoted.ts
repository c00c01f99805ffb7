/** What a section says that is written as a quotation: without the marks of the block and the quotes around it all. */
export function unquote(text: string): string {
  const lines = text.split('\n')
  const isBlock =
    lines.every((line) => line.trim() === '' || QUOTED.test(line)) && lines.some((line) => QUOTED.test(line))
  const plain = (isBlock ? lines.map((line) => line.replace(QUOTED, '')) : lines).join('\n').trim()
  // Only with a block: quotes around a text that is not one may be the question's own.
  return isBlock ? withoutQuotes(plain) : plain
}

const QUOTED = /^ {0,3}> ?/

// With more quotes inside, the outer ones may not be a pair.
function withoutQuotes(text: string): string {
  const inner = text.slice(1, -1)
  const isPair = PAIRS.some(([open, close]) => text.startsWith(open) && text.endsWith(close) && text.length > 2)
  return isPair && !/["“”]/.test(inner) ? inner : text
}

const PAIRS = [
  ['"', '"'],
  ['“', '”'],
] as const
