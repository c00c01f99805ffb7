import { expect, test } from 'vitest'
import { findNoResult } from '../../../../src/vitest/reporter/evals-reporter.ts'
import type { TestCase, TestModule, TestProject } from 'vitest/node'

type State = 'failed' | 'passed' | 'pending' | 'skipped'

const PROJECT = { name: 'evals' } as TestProject
const OTHER = { name: 'unit' } as TestProject

function moduleOf(tests: readonly [name: string, state: State, note?: string][], project = PROJECT): TestModule {
  const cases = tests.map(
    ([name, state, note]) => ({ name, result: () => ({ state, note }), meta: () => ({}) }) as unknown as TestCase,
  )
  const state = tests.some(([, one]) => one === 'failed') ? 'failed' : 'passed'
  return { project, state: () => state, children: { allTests: () => cases } } as unknown as TestModule
}

const nothingFiltered = (): boolean => false

test.each([
  ['a passed case', [moduleOf([['a', 'passed']])]],
  ['a failed case', [moduleOf([['a', 'failed']])]],
  ['no case of this project, but a test of another', [moduleOf([]), moduleOf([['u', 'passed']], OTHER)]],
  ['only tests of another project', [moduleOf([['u', 'skipped']], OTHER)]],
])('%s is proof enough', (_, modules) => {
  expect(findNoResult(modules, PROJECT, nothingFiltered)).toBeNull()
})

test('skipped cases are no proof, and the first reason is named', () => {
  const modules = [
    moduleOf([
      ['a', 'skipped', 'no recording'],
      ['b', 'skipped'],
    ]),
  ]

  expect(findNoResult(modules, PROJECT, nothingFiltered)).toMatch(/no case passed or failed.*2.*a: no recording/)
})

test('a case without its skill proves nothing of the skill', () => {
  const modules = [
    moduleOf([
      ['a', 'skipped'],
      ['a (without_skill)', 'passed'],
    ]),
  ]
  const alone = [moduleOf([['a (without_skill)', 'passed']])]

  expect(findNoResult(modules, PROJECT, nothingFiltered)).not.toBeNull()
  expect(findNoResult(alone, PROJECT, nothingFiltered)).toBeNull()
})

test('a case that a filter left out is not missed', () => {
  const modules = [
    moduleOf([
      ['a', 'skipped'],
      ['b', 'passed'],
    ]),
  ]

  expect(findNoResult(modules, PROJECT, ({ name }) => name === 'a')).toBeNull()
  expect(findNoResult([moduleOf([['a', 'skipped']])], PROJECT, () => true)).toMatch(/no case was selected/)
})
