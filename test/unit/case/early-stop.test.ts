import { expect, test } from 'vitest'
import { countTriggers } from '../../../src/case/assess/count-triggers.ts'
import { countDue } from '../../../src/case/kinds/kind.ts'
import { pluginEval } from '../../../src/case/kinds/plugin-eval.ts'
import { task } from '../../../src/case/kinds/task.ts'
import { trigger } from '../../../src/case/kinds/trigger.ts'
import { combineQuery } from '../../../src/case/result/combine-query.ts'
import type { RunSettings } from '../../../src/options/settings.ts'
import { combineRuns } from '../../../src/report/results/combine-runs.ts'
import type { CaseResult } from '../../../src/report/results/result.ts'
import { agentRun } from '../../support/agent-run.ts'
import { caseResult } from '../../support/case-result.ts'

const nobody = { environment: null, option: null }
const settingsOf = (threshold: number): RunSettings =>
  ({
    stopsEarly: true,
    passThreshold: { ...nobody, option: threshold },
    triggerThreshold: nobody,
  }) as unknown as RunSettings

function sequences<One>(of: readonly One[], length: number): readonly (readonly One[])[] {
  return length === 0 ? [[]] : sequences(of, length - 1).flatMap((rest) => of.map((one) => [...rest, one]))
}

/** The runs that are made of those that would be. */
function made(all: readonly CaseResult[], due: (begun: readonly CaseResult[]) => number): readonly CaseResult[] {
  let ended = 0
  for (let more = due([]); more > 0; more = due(all.slice(0, ended))) ended += more
  return all.slice(0, ended)
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
      const settings = settingsOf(threshold)
      const parts = made(all, (results) => countDue(task, { evalCase: {} as never, settings, results, of }))
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

const asked = { skill: 'notes', shouldTrigger: true, runs: 4, threshold: null }
const used = (skill: string | null): CaseResult => {
  const transcript = skill === null ? [] : ([{ kind: 'skill-used', skill, agent: null }] as never)
  const attempt = { run: agentRun({ transcript }), problem: null }
  return caseResult('q', { trigger: countTriggers([attempt], { question: asked, query: 'q', threshold: 1 }) })
}
const BROKEN = caseResult('q', { outcome: 'errored', error: { code: 'engine-failed', message: 'broke' }, runs: [] })
const QUERIES = [used('notes'), used('letters'), used(null), BROKEN]

test.each([true, false])('a query that should trigger: %o, comes out as if all runs were made', (shouldTrigger) => {
  let saved = 0
  for (const threshold of [0.34, 0.5, 1])
    for (const all of sequences(QUERIES, 4)) {
      const evalCase = { trigger: { ...asked, shouldTrigger, threshold }, prompt: 'q' } as never
      const of = all.length
      const settings = settingsOf(1)
      const parts = made(all, (results) => countDue(trigger, { evalCase, settings, results, of }))
      saved += of - parts.length
      const outcomeOf = ([first, ...rest]: readonly CaseResult[]): string =>
        first === undefined ? 'none' : combineQuery(evalCase, first, rest, { runs: of, threshold }).outcome
      expect(outcomeOf(parts)).toBe(outcomeOf(all))
    }
  expect(saved).toBeGreaterThan(100)
})

test('a case of claude plugin eval makes all runs: its report has their mean score', () => {
  const results = RESULTS.slice(1, 2)
  expect(countDue(pluginEval, { evalCase: {} as never, settings: settingsOf(1), results, of: 3 })).toBe(2)
})
