import { Script, createContext } from 'node:vm'
import { messageOf } from './errors.ts'

/** What came of a search for a pattern that somebody else wrote, which may be invalid or take for ever. */
export type Search<Found> = { readonly found: Found } | { readonly problem: string }

/** Why a pattern is no regular expression of JavaScript; `null` for one that is. */
export function patternProblem(pattern: string, flags = ''): string | null {
  try {
    RegExp(pattern, flags)
    return null
  } catch (error) {
    return messageOf(error)
  }
}

/** The first match of a pattern in a text; `null` without one. */
export function findMatch(pattern: string, flags: string, text: string): Search<string | null> {
  return search(FIRST, { pattern, flags, text })
}

/** How often a pattern matches a text. */
export function countMatches(pattern: string, flags: string, text: string): Search<number> {
  return search(COUNT, { pattern, flags: flags.includes('g') ? flags : `${flags}g`, text })
}

/** Those of some texts that a pattern matches, with one deadline for all. */
export function matchingTexts(pattern: string, texts: readonly string[]): Search<readonly string[]> {
  return search(FILTER, { pattern, texts })
}

/**
 * Whether a pattern of a repository matches a text as a whole. A pattern that takes too long on a text, or is invalid,
 * does not.
 */
export function matchesWhole(pattern: string, text: string): boolean {
  if (/^[\w|-]*$/.test(pattern)) return pattern.split('|').includes(text)
  if (slow.has(pattern)) return false
  const result = search<boolean>(WHOLE, { pattern, text })
  if ('found' in result) return result.found
  slow.add(pattern)
  return false
}

// A thousand texts would take a thousand times as long.
const slow = new Set<string>()

// Only a script can be stopped.
function search<Found>(script: Script, inputs: Readonly<Record<string, unknown>>): Search<Found> {
  try {
    return { found: script.runInContext(createContext({ ...inputs }), { timeout: MOST_MS }) as Found }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT')
      return { problem: `the pattern took longer than ${MOST_MS / 1000} s; rewrite it without nested repetitions` }
    return { problem: `the pattern is invalid: ${messageOf(error)}` }
  }
}

const FIRST = new Script('(new RegExp(pattern, flags).exec(text) ?? [null])[0]')
const COUNT = new Script(
  '{ let count = 0; for (const _ of text.matchAll(new RegExp(pattern, flags))) count += 1; count }',
)
const FILTER = new Script('{ const regex = new RegExp(pattern); [...texts].filter((text) => regex.test(text)) }')
const WHOLE = new Script('new RegExp(`^(?:${pattern})$`).test(text)')
const MOST_MS = 2000
