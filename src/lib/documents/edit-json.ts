/** A member of an object in a text of JSON, by its offsets. */
interface Member {
  readonly key: string
  readonly keyStart: number
  readonly valueStart: number
  readonly valueEnd: number
}

interface ScannedObject {
  readonly members: readonly Member[]
  /** Offset of its opening brace, and of the closing one. */
  readonly start: number
  readonly end: number
}

/**
 * Adds members with text values to the object under a key of a text of JSON, which is made where it is missing. Nothing
 * else changes: comments, order and indentation stay. `null` where the text is no object, or the key holds none.
 */
export function withMembers(text: string, key: string, added: Readonly<Record<string, string>>): string | null {
  const root = scanObject(text, 0)
  if (root === null) return null
  const written = Object.entries(added).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`)
  const found = root.members.find((member) => member.key === key)
  if (found !== undefined) {
    const object = scanObject(text, found.valueStart)
    return object === null || object.start !== found.valueStart ? null : insert(text, object, written)
  }
  const step = indentOf(text, root)
  if (step === null) return insert(text, root, [`${JSON.stringify(key)}: { ${written.join(', ')} }`])
  const inner = written.map((line) => `\n${step}${step}${line}`).join(',')
  return insert(text, root, [`${JSON.stringify(key)}: {${inner}\n${step}}`])
}

function insert(text: string, object: ScannedObject, lines: readonly string[]): string {
  const indent = indentOf(text, object)
  const last = object.members.at(-1)
  if (last === undefined)
    return `${text.slice(0, object.start + 1)} ${lines.join(', ')} ${text.slice(object.end).trimStart()}`
  if (indent === null) return `${text.slice(0, last.valueEnd)}, ${lines.join(', ')}${text.slice(last.valueEnd)}`
  // A comment behind the last member stays with it.
  const [rest = ''] =
    /^[ \t]*,?[ \t]*(?:\/\/[^\n]*|\/\*(?:(?!\*\/)[^\n])*\*\/)?/.exec(text.slice(last.valueEnd, object.end)) ?? []
  const comma = rest.trimStart().startsWith(',') ? '' : ','
  const at = last.valueEnd + rest.length
  return `${text.slice(0, last.valueEnd)}${comma}${rest}${lines.map((line) => `\n${indent}${line}`).join(',')}${text.slice(at)}`
}

// What is before its first member; `null` where the object is on one line.
function indentOf(text: string, { start, end, members: [first] }: ScannedObject): string | null {
  if (first === undefined) return text.slice(start, end).includes('\n') ? '  ' : null
  const line = text.lastIndexOf('\n', first.keyStart)
  return line < start ? null : text.slice(line + 1, first.keyStart)
}

interface Token {
  readonly token: string
  readonly at: number
}

interface Span {
  readonly start: number
  readonly end: number
}

// A string or comment that does not end is one token too: otherwise the rest would be searched from each of its parts.
const TOKEN = /"(?:[^"\\]|\\.)*"?|\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)|[[\]{},:]|[^\s"[\]{},:/]+/g

// The first object at or behind an offset, with strings and comments passed over.
function scanObject(text: string, from: number): ScannedObject | null {
  const tokens = Array.from(text.slice(from).matchAll(TOKEN), ({ 0: token, index }) => ({
    token,
    at: from + index,
  })).filter(({ token }) => !token.startsWith('//') && !token.startsWith('/*'))
  const [open] = tokens
  if (open?.token !== '{') return null
  const members: Member[] = []
  let depth = 0
  let key: Token | null = null
  let value: Span | null = null
  for (const { token, at } of tokens) {
    const isEnd = depth === 1 && (token === ',' || token === '}')
    if (isEnd && key !== null && value !== null)
      members.push({ key: unquoted(key.token), keyStart: key.at, valueStart: value.start, valueEnd: value.end })
    if (isEnd) {
      key = null
      value = null
    }
    if (token === '}' && depth === 1) return { members, start: open.at, end: at }
    if (depth === 1 && key === null && token.startsWith('"')) key = { token, at }
    else if (key !== null && !(depth === 1 && (token === ':' || token === ',')))
      value = value === null ? { start: at, end: at + token.length } : { start: value.start, end: at + token.length }
    if (token === '{' || token === '[') depth += 1
    if (token === '}' || token === ']') depth -= 1
  }
  return null
}

function unquoted(token: string): string {
  try {
    return JSON.parse(token) as string
  } catch {
    return token
  }
}
