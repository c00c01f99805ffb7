import { isJsonObject } from '../json.ts'
import type { JsonValue } from '../json.ts'
import type { Recording } from './recording.ts'

/** Writes a recording for review: keys in one order, one turn a block, and on one line what fits there. */
export function formatRecording(recording: Recording): string {
  return `${print(recording as unknown as JsonValue, '')}\n`
}

const WIDTH = 120

function print(value: JsonValue, indent: string): string {
  const line = printLine(value)
  const fits = indent.length + line.length <= WIDTH && !line.includes('"answer"')
  if (fits || typeof value !== 'object' || value === null) return line
  const deeper = `${indent}  `
  const parts = Array.isArray(value)
    ? value.map((item: JsonValue) => print(item, deeper))
    : entriesOf(value).map(([key, item]) => `${JSON.stringify(key)}: ${print(item, deeper)}`)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  return `${open}\n${parts.map((part) => `${deeper}${part}`).join(',\n')}\n${indent}${close}`
}

function printLine(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(printLine).join(', ')}]`
  if (!isJsonObject(value)) return JSON.stringify(value)
  const parts = entriesOf(value).map(([key, item]) => `${JSON.stringify(key)}: ${printLine(item)}`)
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`
}

function entriesOf(value: JsonValue): readonly (readonly [string, JsonValue])[] {
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([key, item]) => (item === undefined ? [] : [[key, item] as const]))
}
