// @module-tag claude-code
// @module-tag slow
import type { FileTree } from 'fs-fixture'
import { expect, test } from 'vitest'
import { PACKAGE, readReport, saying, verdicts } from '../support/eval-project.ts'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { doing, skill, use } from '../support/skill-project.ts'

const FILES: FileTree = {
  ...PACKAGE,
  'skills/notes/SKILL.md': skill('notes', 'Writes notes.'),
  'skills/notes/evals/evals.json': JSON.stringify({
    evals: [
      { id: 'fails', prompt: 'Say hello.', expectations: [{ contains: 'Hello' }], runs: 3 },
      { id: 'passes', prompt: 'Say hello.', expectations: [{ contains: 'Hello' }], runs: 3, pass_threshold: 0.5 },
    ],
  }),
  'evals/scenarios/fails.yaml': saying('Goodbye'),
  'evals/scenarios/passes.yaml': saying('Hello'),
  'skills/notes/evals/triggers.json': JSON.stringify([
    { id: 'fires', query: 'Please do: fires', should_trigger: true },
  ]),
  'evals/scenarios/fires.yaml': doing([use('notes')]),
}

test('a case stops at its verdict, which is that of all runs, and shows no rate', async () => {
  await using project = await createProject(repositoryVitest(), FILES)
  const whole = await project.agentEvals(['run', '--no-cache', '-o', 'whole.json'], { merged: true })
  const auto = await project.agentEvals(['run', '--runs', 'auto', '--no-cache'], { merged: true })
  expect([whole.exitCode, auto.exitCode], auto.all).toEqual([1, 1])
  const report = await readReport(project)
  expect(verdicts(report).toSorted()).toEqual(['Please do: fires PASS', 'fails FAIL', 'passes PASS'])
  const of = (name: string) => report.cases.find((one) => one.name === name)
  expect(of('fails')?.repeats).toMatchObject({ runs: 3, completed: 1, passed: 0, saved: 2, rate: null, interval: null })
  expect(of('fails')?.runs).toHaveLength(1)
  expect(of('passes')?.repeats).toMatchObject({ runs: 3, completed: 2, passed: 2, saved: 1, rate: null, pass_at_k: [] })
  expect(of('Please do: fires')?.trigger).toMatchObject({ runs: 3, completed: 2, fired: 2, saved: 1, rate: null })
  expect(auto.all).toContain('Saved  4 of 9 runs could not change a verdict and were not made; no rates')
  expect(auto.all).toContain('0 of 1 runs passed, and all have to. 2 of 3 runs were not needed.')
  expect(whole.all).not.toContain('Saved')

  const path = auto.all.match(/evals\/reports\/\S+\.json/)?.[0] ?? ''
  const gate = await project.agentEvals(['gate', '--against', 'whole.json', path], { merged: true })
  expect(gate.exitCode, gate.all).toBe(2)
  expect(gate.all).toContain('its runs stopped at the verdict (--runs auto), so they have no rate')
  const refused = await project.agentEvals(['run', '--runs', 'auto', '--budget', 'passRate=0.5'], { merged: true })
  expect(refused.exitCode).not.toBe(0)
  expect(refused.all).toContain('--runs auto leaves runs out, and --budget needs all of them.')
})
