import { isJsonObject, type JsonValue } from '../../json.ts'

/** Writes a value as TOML on one line. What TOML cannot hold, such as null, is left out. */
export function toToml(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.filter(isKnown).map(toToml).join(', ')}]`
  if (typeof value === 'string') return quote(value)
  return isJsonObject(value) ? `{ ${entriesOf(value).join(', ')} }` : JSON.stringify(value)
}

/** Writes a table with its header; the names of the path are quoted. */
export function tomlTable(path: readonly string[], values: Readonly<Record<string, JsonValue | undefined>>): string {
  return [`[${path.map(quote).join('.')}]`, ...entriesOf(values), ''].join('\n')
}

function entriesOf(values: Readonly<Record<string, JsonValue | undefined>>): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [`${quote(name)} = ${toToml(value)}`],
  )
}

function isKnown(value: JsonValue): boolean {
  return value !== null
}

// A basic string of TOML takes what JSON writes, but for one control character that JSON leaves as it is.
function quote(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', String.raw`\u007f`)
}
