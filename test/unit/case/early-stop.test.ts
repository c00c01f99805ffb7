import { expect, test } from 'vitest'
import { countTriggers, isAsExpected } from '../../../src/case/assess/count-triggers.ts'
import type { RunContext } from '../../../src/case/context.ts'
import { pluginEval } from '../../../src/case/kinds/plugin-eval.ts'
import { task } from '../../../src/case/kinds/task.ts'
import { trigger } from '../../../src/case/kinds/trigger.ts'
import { combineRuns } from '../../../src/report/results/combine-runs.ts'
import type { CaseResult } from '../../../src/report/results/result.ts'
import { agentRun } from '../../support/agent-run.ts'
import { caseResult } from '../../support/case-result.ts'

const nobody = { environment: null, option: null }
const contextOf = (threshold: number): RunContext =>
  ({
    settings: { stopsEarly: true, passThreshold: { ...nobody, option: threshold }, triggerThreshold: nobody },
  }) as unknown as RunContext

function sequences<One>(of: readonly One[], length: number): readonly (readonly One[])[] {
  return length === 0 ? [[]] : sequences(of, length - 1).flatMap((rest) => of.map((one) => [...rest, one]))
}

/** The parts that are made of those that would be. */
function made<Part>(parts: readonly Part[], due: (begun: readonly Part[]) => number): readonly Part[] {
  let ended = 0
  for (let more = due([]); more > 0; more = due(parts.slice(0, ended))) ended += more
  return parts.slice(0, ended)
}

const RESULTS: readonly CaseResult[] = [
  caseResult('a'),
  caseResult('a', { outcome: 'failed', reason: 'wrong' }),
  caseResult('a', { outcome: 'errored', error: { code: 'timed-out', message: 'slow' } }),
  // The budget was used up.
  caseResult('a', { outcome: 'skipped', reason: 'not-run: no money', runs: [] }),
  caseResult('a', { outcome: 'skipped', reason: 'no recording', runs: [] }),
]

test('a case of several runs comes out as if all were made, whatever they come to', () => {
  let saved = 0
  for (const threshold of [0.5, 0.67, 1])
    for (const all of sequences(RESULTS, 4)) {
      const of = all.length
      // What is skipped for another reason is known before any run, and all of them are skipped.
      const isSkipped = all.some(({ reason }) => reason === 'no recording')
      if (isSkipped && !all.every(({ reason }) => reason === 'no recording')) continue
      const askedCase = { evalCase: {} } as Parameters<typeof task.due>[1]['askedCase']
      const parts = made(all, (begun) => task.due(contextOf(threshold), { askedCase, parts: begun, of }))
      const [first, ...rest] = parts
      const [whole, ...others] = all
      if (first === undefined || whole === undefined) throw new Error('No run was made.')
      saved += of - parts.length
      const early = combineRuns(first, rest, { runs: of, threshold, saved: of - parts.length })
      expect(early.outcome).toBe(combineRuns(whole, others, { runs: of, threshold }).outcome)
      expect(early.repeats?.interval ?? null).toBeNull()
    }
  expect(saved).toBeGreaterThan(100)
})

const used = (skill: string | null): object => ({
  index: 1,
  run: agentRun({
    transcript: skill === null ? [] : ([{ kind: 'skill-used', skill, agent: null }] as never),
  }),
  problem: null,
  error: null,
  prepared: null,
})
const ATTEMPTS = [used('notes'), used('letters'), used(null), { ...used(null), run: null, problem: 'broke' }]

test.each([true, false])('a query that should trigger: %o, comes out as if all runs were made', (shouldTrigger) => {
  let saved = 0
  for (const threshold of [0.34, 0.5, 1])
    for (const all of sequences(ATTEMPTS, 4)) {
      const question = { skill: 'notes', shouldTrigger, runs: 4, threshold }
      const askedCase = { evalCase: { trigger: question, prompt: 'q' } } as never
      const parts = made(all, (begun) =>
        trigger.due(contextOf(1), { askedCase, parts: begun as never, of: all.length }),
      )
      saved += all.length - parts.length
      const verdictOf = (attempts: readonly object[]): string => {
        const part = countTriggers(attempts as never, { question, query: 'q', threshold })
        if (part.completed === 0) return 'errored'
        return isAsExpected(part) ? 'passed' : 'failed'
      }
      expect(verdictOf(parts)).toBe(verdictOf(all))
    }
  expect(saved).toBeGreaterThan(100)
})

test('a case of claude plugin eval makes all runs: its report has their mean score', () => {
  const askedCase = { evalCase: {} } as never
  expect(pluginEval.due(contextOf(1), { askedCase, parts: RESULTS.slice(1, 2), of: 3 })).toBe(2)
})
