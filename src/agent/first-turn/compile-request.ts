import type { FirstRequest } from '../../gateway/first-turn/first-request.ts'

/** A request with gaps for its prompt and for the ids that each session makes up. */
export interface CompiledRequest {
  /** Fills the gaps; `ids` are in the order of those that they replace. */
  fill(prompt: string, ids: readonly string[]): FirstRequest
}

/** Cuts a request at its prompt and its ids, once for all that are made from it. */
export function compileRequest({
  request,
  prompt,
  ids,
}: {
  readonly request: FirstRequest
  readonly prompt: string
  readonly ids: readonly string[]
}): CompiledRequest {
  const mark = (text: string): string =>
    ids.reduce((rest, id, index) => rest.replaceAll(id, `${GAP}${index + 1};`), text)
  const marked = JSON.stringify(JSON.parse(request.body), (_name, value: unknown) => {
    if (typeof value !== 'string') return value
    return value === prompt ? `${GAP}0;` : mark(value)
  })
  const pieces = marked.split(WRITTEN_GAP)
  const headers = Object.entries(request.headers).map(([name, value]) => [name, mark(value).split(PLAIN_GAP)] as const)
  return {
    fill(text, fresh) {
      const given = [JSON.stringify(text).slice(1, -1), ...fresh]
      return {
        ...request,
        headers: Object.fromEntries(headers.map(([name, parts]) => [name, join(parts, given)])),
        body: join(pieces, given),
      }
    },
  }
}

// Every second piece is the number of what comes there.
function join(pieces: readonly string[], given: readonly string[]): string {
  return pieces.map((piece, index) => (index % 2 === 0 ? piece : (given[Number(piece)] ?? ''))).join('')
}

// No request holds this control character by itself.
const GAP = '\u0000'
const WRITTEN_GAP = /\\u0000(\d+);/
// eslint-disable-next-line no-control-regex
const PLAIN_GAP = /\u0000(\d+);/
