import { expect, test } from 'vitest'
import { hasBaseline } from '../../../src/suites/with-baseline.ts'
import type { EvalCase } from '../../../src/suites/suite.ts'

const evalCase: Parameters<typeof hasBaseline>[0] = {
  id: 'a',
  name: 'a',
  description: null,
  target: { kind: 'skill', name: 'notes' },
  prompt: 'x',
  files: [],
  workspaceFiles: [],
  checks: [],
  criteria: { text: 'y', at: { line: 1, column: 1 } },
  tags: [],
  category: null,
  timeout: null,
  at: { line: 1, column: 1 },
  promptAt: { line: 1, column: 1 },
}
const trigger = { skill: 'notes', shouldTrigger: true, runs: null, threshold: null }

test.each<[string, Partial<EvalCase>, boolean]>([
  ['an eval of a skill', {}, true],
  ['a case of a hook', { target: { kind: 'hook', name: 'stop' } }, false],
  ['a case without a target', { target: null }, false],
  ['a trigger query', { trigger }, false],
  ['an eval that expects nothing', { criteria: null }, false],
  ['the baseline itself', { arm: 'without_skill' }, false],
])('%s is run without its skill: %s', (_, part, expected) => {
  expect(hasBaseline({ ...evalCase, ...part })).toBe(expected)
})
