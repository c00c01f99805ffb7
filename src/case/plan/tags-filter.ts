import { escapePattern } from '../../texts.ts'

type Matches = (tags: readonly string[]) => boolean

/**
 * Reads expressions of Vitest's `--tags-filter`, such as `slow and !(codex || claude-*)`, all of which have to hold. Vitest
 * evaluates them in workers alone. `null` for what cannot be read: Vitest refuses it.
 */
export function readTagsFilter(expressions: readonly string[]): Matches | null {
  const all = expressions.map(readExpression)
  return all.includes(null) ? null : (tags) => all.every((matches) => matches?.(tags) === true)
}

function readExpression(text: string): Matches | null {
  const tokens = Array.from(
    text.matchAll(TOKEN),
    ([token]) => OPERATORS.get(token.trim().toLowerCase()) ?? token.trim(),
  )
  if (text.replaceAll(TOKEN, '').trim() !== '') return null
  const readAny = (): Matches | null => readPart('||', readAll, (one, other) => (tags) => one(tags) || other(tags))
  const readAll = (): Matches | null => readPart('&&', readOne, (one, other) => (tags) => one(tags) && other(tags))
  const readPart = (
    operator: string,
    readNext: () => Matches | null,
    join: (one: Matches, other: Matches) => Matches,
  ): Matches | null => {
    let found = readNext()
    while (tokens[0] === operator) {
      tokens.shift()
      const other = readNext()
      found = found === null || other === null ? null : join(found, other)
    }
    return found
  }
  const readOne = (): Matches | null => {
    const token = tokens.shift()
    if (token === '!') {
      const one = readOne()
      return one === null ? null : (tags) => !one(tags)
    }
    if (token === '(') {
      const inside = readAny()
      return tokens.shift() === ')' ? inside : null
    }
    return token === undefined || [')', '&&', '||'].includes(token) ? null : matchesTag(token)
  }
  const found = readAny()
  return tokens.length > 0 ? null : found
}

function matchesTag(name: string): Matches {
  if (!name.includes('*')) return (tags) => tags.includes(name)
  const pattern = new RegExp(`^${name.split('*').map(escapePattern).join('.*')}$`)
  return (tags) => tags.some((tag) => pattern.test(tag))
}

// A word is an operator only where no tag goes on with it.
const TOKEN = /&&|\|\||[()!]|(?:and|or)(?=[\s)]|$)|not(?=\s)|[^\s()!&|]+/gi
const OPERATORS: ReadonlyMap<string, string> = new Map([
  ['and', '&&'],
  ['or', '||'],
  ['not', '!'],
])
