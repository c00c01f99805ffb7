import { readFrontMatter, type FrontMatter } from '../documents/front-matter.ts'
import type { TrackedFs } from '../documents/tracked-fs.ts'
import type { Issue } from '../documents/issue.ts'

/** Bytes; instructions for a model that are longer than this are not read by any. */
const MAX_MARKDOWN_BYTES = 1024 * 1024

/**
 * Reads a Markdown file and takes it apart; `null` with the reason when it cannot be read. Front matter that is no YAML
 * only because of a colon or a quote in a text is read line by line, as engines do, with a warning.
 */
export async function readMarkdown(
  file: string,
  fs: TrackedFs,
): Promise<{ readonly markdown: FrontMatter | null; readonly issues: readonly Issue[] }> {
  const { text, issue } = await fs.readText(file, MAX_MARKDOWN_BYTES)
  if (issue !== null) return { markdown: null, issues: [issue] }
  const markdown = readFrontMatter(text, file)
  const [first] = markdown.issues
  if (markdown.document === null || first === undefined) return { markdown, issues: markdown.issues }
  const lenient = readFrontMatter(withQuotedTexts(text), file)
  if (lenient.issues.length > 0) return { markdown, issues: markdown.issues }
  const message = `${first.message}; it is read line by line, as Claude Code does`
  return { markdown: lenient, issues: [{ ...first, code: 'loose-front-matter', severity: 'warning', message }] }
}

function withQuotedTexts(text: string): string {
  const lines = text.split('\n')
  const end = lines.findIndex((line, index) => index > 0 && /^---[ \t]*\r?$/.test(line))
  return lines.map((line, index) => (index < end ? quoteText(line) : line)).join('\n')
}

function quoteText(line: string): string {
  const [key = ''] = /^[\w-]+:[ \t]+/.exec(line) ?? []
  const value = key === '' ? '' : line.slice(key.length).trimEnd()
  return value === '' || /^[|>[{]/.test(value) || isQuoted(value) ? line : `${key}${JSON.stringify(value)}`
}

function isQuoted(value: string): boolean {
  return /^"(?:[^"\\]|\\.)*"$/.test(value) || /^'(?:[^']|'')*'$/.test(value)
}
