import { valueAt, type Issue, type ReadDocument } from '../lib/documents/document.ts'
import { readDocument } from '../lib/documents/read-document.ts'
import type { TrackedFs } from '../lib/documents/read-text.ts'

/** Bytes; instructions for a model that are longer than this are not read by any. */
const MAX_MARKDOWN_BYTES = 1024 * 1024

/** A skill, command or agent in Markdown, as Claude Code takes it apart. */
export interface Markdown {
  /** The front matter; `null` for a file without any, and where Claude Code drops it because it is no YAML. */
  readonly fields: ReadDocument | null
  readonly body: string
  /** Warnings. */
  readonly issues: readonly Issue[]
}

/** Reads a Markdown file of a package; `null` with the reason when there is no text. */
export async function readMarkdown(
  file: string,
  fs: TrackedFs,
): Promise<{ readonly markdown: Markdown | null; readonly issues: readonly Issue[] }> {
  const { text, issue } = await fs.readText(file, MAX_MARKDOWN_BYTES)
  if (issue !== null) return { markdown: null, issues: [issue] }
  const markdown = parseMarkdown(text, file)
  return { markdown, issues: markdown.issues }
}

/**
 * Takes a Markdown text apart as Claude Code does. Front matter that is no YAML is read once more with its values in
 * quotes, and dropped when it is no YAML then either. `test/support/front-matter.ts` holds what the CLI was seen to do.
 */
export function parseMarkdown(source: string, file: string): Markdown {
  const text = source.startsWith('\uFEFF') ? source.slice(1) : source
  const [whole, opening = '', yaml = ''] = FRONT_MATTER.exec(text) ?? []
  if (whole === undefined) return { fields: null, body: text, issues: [] }
  const body = text.slice(whole.length)
  if (yaml.trim() === '') return { fields: null, body, issues: [] }
  const firstLine = opening.split('\n').length
  const read = (written: string): ReadDocument =>
    readDocument(written, { kind: 'yaml', file, what: 'field', firstLine, isForeign: true })

  const fields = read(yaml)
  const [first] = fields.issues
  if (first === undefined) return { fields, body, issues: [] }
  const warn = (effect: string): readonly Issue[] => [
    { ...first, code: 'loose-front-matter', severity: 'warning', message: `${first.message}; ${effect}` },
  ]
  const quoted = read(yaml.split('\n').map(quoteValue).join('\n'))
  if (quoted.issues.length === 0) return { fields: quoted, body, issues: warn('Claude Code reads the value as a text') }
  return { fields: null, body, issues: warn('so Claude Code reads no field of this front matter') }
}

// It ends at the next three dashes, wherever they are.
const FRONT_MATTER = /^(---\s*\n)([\s\S]*?)---[ \t]*\r?\n?/

function quoteValue(line: string): string {
  const [, key, value = ''] = /^([A-Za-z_-]+):\s+(.+)$/.exec(line) ?? []
  const isQuoted = /^"[^]*"$|^'[^]*'$/.test(value)
  if (key === undefined || isQuoted || !/[{}[\]*&#!|>%@`]|: /.test(value)) return line
  return `${key}: "${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`
}

/** A field that is a text, or that Claude Code makes one of; `null` where there is none. */
export function textField({ fields }: Pick<Markdown, 'fields'>, name: string): string | null {
  const value = valueAt(fields?.value, name)
  const isText = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  const text = isText ? String(value).trim() : ''
  return text === '' ? null : text
}

/** The description, else the first line of the body, as Claude Code shows it. */
export function describeMarkdown(markdown: Markdown): string {
  const line = markdown.body.split('\n').find((one) => one.trim() !== '') ?? ''
  const heading = line.trim().replace(/^#+\s+/, '')
  const short = heading.length > 100 ? `${heading.slice(0, 97)}...` : heading
  return textField(markdown, 'description') ?? short
}

/** Whether a flag of front matter says yes; `null` where it is not there. */
export function flagField({ fields }: Pick<Markdown, 'fields'>, name: string): boolean | null {
  const value = valueAt(fields?.value, name)
  return value === undefined ? null : /^(?:true|yes|on|1)$/i.test(textField({ fields }, name) ?? '')
}
