import { describe, expect, test } from 'vitest'
import { createSelection, cutShard } from '../../../../src/vitest/plugin/select-cases.ts'
import { resolveOptions } from '../../../../src/options/resolve-options.ts'
import { AAM_DEFAULTS } from '../../../../src/suites/formats/aam/aam-defaults.ts'
import { evalCase } from '../../../support/eval-case.ts'
import type { EvalCase, Suite } from '../../../../src/suites/suite.ts'

function suite(name: string, cases: readonly (readonly [id: string, line: number, target?: string])[]): Suite {
  const file = `/repo/evals/cases/${name}`
  return { format: 'aam', file, packageRoot: '/repo', config: AAM_DEFAULTS, cases: cases.map(toCase), issues: [] }
}

function toCase([id, line, skill]: readonly [id: string, line: number, target?: string]): EvalCase {
  return evalCase({ id, target: skill === undefined ? null : { kind: 'skill', name: skill }, at: { line, column: 1 } })
}

const suites = [
  suite('b.yaml', [['b1', 1, 'pdf']]),
  suite('a.yaml', [
    ['a2', 9, 'pdf'],
    ['a1', 2],
    ['a3', 12],
  ]),
  suite('c.yaml', [['c1', 1, 'pdf']]),
]
const store = {
  root: '/repo',
  find: async () => suites.map(({ file }) => file),
  load: async (file: string) => suites.find((one) => one.file === file) ?? suite('none', []),
}

async function selected(choice: Parameters<typeof createSelection>[1]): Promise<readonly string[]> {
  const selection = createSelection(store, choice)
  const chosen = await Promise.all(suites.map((one) => selection.of(one)))
  return chosen.flat().map(({ id }) => id)
}

test('without a shard the target alone decides', async () => {
  expect(await selected({ target: null, shard: null })).toEqual(['b1', 'a2', 'a1', 'a3', 'c1'])
  expect(await selected({ target: 'skill:pdf', shard: null })).toEqual(['b1', 'a2', 'c1'])
})

test('shards are cut by file and line, are disjoint and leave no case out', async () => {
  expect(await selected({ target: null, shard: { index: 1, count: 2 } })).toEqual(['a1', 'a3', 'c1'])
  expect(await selected({ target: null, shard: { index: 2, count: 2 } })).toEqual(['b1', 'a2'])
})

test('the cases of a target are cut evenly too', async () => {
  expect(await selected({ target: 'skill:pdf', shard: { index: 1, count: 3 } })).toEqual(['a2'])
  expect(await selected({ target: 'skill:pdf', shard: { index: 3, count: 3 } })).toEqual(['c1'])
})

test('more shards than items leave the last ones empty', () => {
  expect([1, 2, 3].map((index) => cutShard(['x', 'y'], { index, count: 3 }))).toEqual([['x'], ['y'], []])
})

describe('AGENT_EVALS_SHARD', () => {
  test('is read as i/n', () => {
    expect(resolveOptions({}, { AGENT_EVALS_SHARD: '2/4' }).shard).toEqual({ index: 2, count: 4 })
    expect(resolveOptions({ shard: '1/1' }, {}).shard).toEqual({ index: 1, count: 1 })
    expect(resolveOptions({}, {}).shard).toBeNull()
  })

  test.for(['0/4', '5/4', '1', '1/0', 'a/b', '1/2/3', '-1/4', '1.5/2'])('%s is refused', (text) => {
    expect(() => resolveOptions({}, { AGENT_EVALS_SHARD: text })).toThrow(
      `AGENT_EVALS_SHARD is "${text}": expected i/n with 1 <= i <= n, such as 2/4.`,
    )
  })
})
