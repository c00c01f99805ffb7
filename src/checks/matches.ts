import { findMatch } from '../patterns.ts'
import { shorten } from './contains.ts'
import type { AgentRun } from '../transcript/agent-run.ts'
import type { CheckResult } from './check.ts'
import type { Declared } from './declared.ts'

/** Whether a regular expression finds something in the agent's output, or nothing where it must not. */
export function checkMatches(declared: Declared<'matches' | 'not-matches'>, run: AgentRun): CheckResult {
  const { kind, at, flags } = declared
  const value = `/${declared.value}/${flags}`
  const search = findMatch(declared.value, flags, run.output)
  if ('problem' in search) return { kind, value, at, outcome: 'errored', message: `${value}: ${search.problem}` }

  const { found } = search
  const isForbidden = kind === 'not-matches'
  if ((found !== null) !== isForbidden) return { kind, value, at, outcome: 'passed', message: '' }
  const message = isForbidden
    ? `expected nothing in the output to match ${value} but ${JSON.stringify(found)} does`
    : `expected something in the output to match ${value} but ${run.output.trim() === '' ? 'there is no output' : 'nothing does'}`
  return { kind, value, at, outcome: 'failed', message, expected: value, actual: shorten(run.output) }
}
