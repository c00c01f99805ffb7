import { expect, test } from 'vitest'
import { kindOf } from '../../../src/formats/kinds.ts'
import { evalCase } from '../../support/eval-case.ts'
import type { EvalCase } from '../../../src/formats/suite.ts'

const ofSkill = evalCase({
  id: 'a',
  target: { kind: 'skill', name: 'notes' },
  criteria: { text: 'y', at: { line: 1, column: 1 } },
})
const trigger = { skill: 'notes', shouldTrigger: true, runs: null, threshold: null }
const choice = { baseline: true, ablation: 'auto' } as const

test.each<[string, Partial<EvalCase>, boolean]>([
  ['an eval of a skill', {}, true],
  ['a case of a hook', { target: { kind: 'hook', name: 'stop' } }, false],
  ['a case without a target', { target: null }, false],
  ['a trigger query', { kind: 'trigger', trigger }, false],
  ['an eval that expects nothing', { criteria: null }, false],
  ['the baseline itself', { arm: 'without_skill' }, false],
])('%s is run without its skill: %s', (_, part, expected) => {
  const one = { ...ofSkill, ...part } as EvalCase
  expect(kindOf(one).hasBaseline(one, choice)).toBe(expected)
})
