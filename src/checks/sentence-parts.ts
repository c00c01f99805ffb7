import type { CheckFields, Parts } from './check.ts'

const PATH = String.raw`(?:\`(?<tick>[^\`]+)\`|"(?<double>[^"]+)"|'(?<single>[^']+)'|(?<bare>[\w@./-]+))`

/** The name of a file. */
export const FILE = `(?:(?:the|a|an) )?(?:file )?(?:(?:named|called|at) )?${PATH}`
/** What a text contains, or does not. */
export const CONTAINS = `(?:(?:contains|includes)|(?<no>does not (?:contain|include)))(?: the (?:text|string|word|phrase))? ${String.raw`(?:\`(?<textTick>[^\`]+)\`|"(?<textDouble>[^"]+)"|'(?<textSingle>[^']+)')`}`
export const IS = '(?:is|was|has been)'
export const TOOL = String.raw`[\`"']?(?<tool>\w+)[\`"']?`
export const SKILL = String.raw`[\`"'](?<skill>[\w:-]+)[\`"']`

/** The path that {@link FILE} has found. What has no extension may be a key, a route or prose. No wildcard, no place holder, nothing absolute. */
export function aboutFile<Fields extends CheckFields>(
  { tick, double, single, bare }: Parts,
  make: (path: string) => Fields,
): Fields | null {
  const path = (tick ?? double ?? single ?? bare ?? '').replace(/^(?:\.\/)+/, '')
  const isRelative = /^[\w@.-]+(?:\/[\w@.-]+)*\.\w+$/.test(path) && !path.split('/').includes('..')
  return isRelative ? make(path) : null
}

/** The text that {@link CONTAINS} has found, and whether it has to be there. */
export function aboutText({ textTick, textDouble, textSingle, no }: Parts): {
  readonly text: string
  readonly holds: boolean
} {
  return { text: textTick ?? textDouble ?? textSingle ?? '', holds: no === undefined }
}
