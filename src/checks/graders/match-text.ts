import { createContext, Script } from 'node:vm'
import { messageOf } from '../../errors.ts'

/** What came of a search: how often the pattern was found, at most once unless all are counted. */
export type Search = { readonly count: number } | { readonly problem: string }

/** Searches a text for a pattern of a suite, which may take for ever on some text: only a script can be stopped. */
export function searchText(pattern: string, flags: string, text: string, counts: boolean): Search {
  const inside = createContext({ pattern, flags: counts ? withGlobal(flags) : flags, text })
  try {
    return { count: Number((counts ? COUNT : FIND).runInContext(inside, { timeout: MOST_MS })) }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT')
      return { problem: `the pattern took longer than ${MOST_MS / 1000} s; rewrite it without nested repetitions` }
    return { problem: `the pattern is invalid: ${messageOf(error)}` }
  }
}

function withGlobal(flags: string): string {
  return flags.includes('g') ? flags : `${flags}g`
}

const FIND = new Script('new RegExp(pattern, flags).test(text) ? 1 : 0')
const COUNT = new Script('[...text.matchAll(new RegExp(pattern, flags))].length')
const MOST_MS = 2000
