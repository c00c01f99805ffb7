import { isJsonObject } from '../json.ts'
import type { JsonValue } from '../json.ts'
import { NO_USAGE } from './recording.ts'
import type { Recording } from './recording.ts'

/** Writes a recording for review: keys in one order, one turn a block, and on one line what fits there. */
export function formatRecording(recording: Recording): string {
  return `${print(recording as unknown as JsonValue, '')}\n`
}

const WIDTH = 120

function print(value: JsonValue, indent: string, isOurs = true): string {
  const line = printLine(value, isOurs)
  const fits = indent.length + line.length <= WIDTH && !(isOurs && line.includes('"answer"'))
  if (fits || typeof value !== 'object' || value === null) return line
  const deeper = `${indent}  `
  const parts = Array.isArray(value)
    ? value.map((item: JsonValue) => print(item, deeper, isOurs))
    : entriesOf(value, isOurs).map(
        ([key, item]) => `${JSON.stringify(key)}: ${print(item, deeper, isOurs && !FOREIGN.has(key))}`,
      )
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  return `${open}\n${parts.map((part) => `${deeper}${part}`).join(',\n')}\n${indent}${close}`
}

function printLine(value: JsonValue, isOurs: boolean): string {
  if (Array.isArray(value)) return `[${value.map((item: JsonValue) => printLine(item, isOurs)).join(', ')}]`
  if (!isJsonObject(value)) return JSON.stringify(value)
  const parts = entriesOf(value, isOurs).map(
    ([key, item]) => `${JSON.stringify(key)}: ${printLine(item, isOurs && !FOREIGN.has(key))}`,
  )
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`
}

function entriesOf(value: JsonValue, isOurs: boolean): readonly (readonly [string, JsonValue])[] {
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([key, item]) =>
    item === undefined || (isOurs && JSON.stringify(item) === USUAL.get(key)) ? [] : [[key, item] as const],
  )
}

/** An answer of a model or a judge, whose fields mean nothing to us. */
const FOREIGN: ReadonlySet<string> = new Set(['answers', 'input'])

/** What goes without saying, as the schema fills it in again. */
const USUAL: ReadonlyMap<string, string> = new Map([
  ['given', 'null'],
  ['hooks', 'null'],
  ['isError', 'false'],
  ['judge', 'null'],
  ['rest', 'null'],
  ['results', '[]'],
  ['sees', '[]'],
  ['told', 'null'],
  ['unstable', '[]'],
  ['usage', JSON.stringify(NO_USAGE)],
  ['varies', 'false'],
])
