import { createContext, Script } from 'node:vm'
import { shorten } from './contains.ts'
import type { AgentRun } from '../transcript/agent-run.ts'
import type { CheckResult } from './check.ts'
import type { Declared } from './declared.ts'

/** Whether a regular expression finds something in the agent's output, or nothing where it must not. */
export function checkMatches(declared: Declared<'matches' | 'not-matches'>, run: AgentRun): CheckResult {
  const { kind, at, flags } = declared
  const value = `/${declared.value}/${flags}`
  const found = find(declared.value, flags, run.output)
  if (found === TOO_SLOW) {
    const message = `${value} took longer than ${MOST_MS / 1000} s on this output; rewrite it without nested repetitions`
    return { kind, value, at, outcome: 'errored', message }
  }

  const isForbidden = kind === 'not-matches'
  if ((found !== null) !== isForbidden) return { kind, value, at, outcome: 'passed', message: '' }
  const message = isForbidden
    ? `expected nothing in the output to match ${value} but ${JSON.stringify(found)} does`
    : `expected something in the output to match ${value} but ${run.output.trim() === '' ? 'there is no output' : 'nothing does'}`
  return { kind, value, at, outcome: 'failed', message, expected: value, actual: shorten(run.output) }
}

// A pattern of a suite may take for ever on some text; only a script of its own can be stopped.
function find(pattern: string, flags: string, output: string): string | typeof TOO_SLOW | null {
  const inside = createContext({ pattern, flags, output })
  try {
    return SEARCH.runInContext(inside, { timeout: MOST_MS }) as string | null
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return TOO_SLOW
    throw error
  }
}

const SEARCH = new Script('(new RegExp(pattern, flags).exec(output) ?? [null])[0]')
const TOO_SLOW = Symbol('too slow')
const MOST_MS = 2000
