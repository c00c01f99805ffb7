import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { readTagsFilter } from '../../../../src/case/plan/plan.ts'
import { REPOSITORY } from '../../../support/repository.ts'

type CreateFilter = (expressions: string[], known: { name: string }[]) => (tags: string[]) => boolean

const TAGS = ['slow', 'codex', 'claude-code', 'android', 'order']
const PARTS = [...TAGS, 'c*', '*o*', '!slow', 'not codex', '(slow or codex)', '!(android && order)', 'NOT (slow)']
const OPERATORS = [' and ', ' or ', ' && ', '||', ' AND ', '&&']

// The same draws at every run.
const drawn = Array.from({ length: 300 }, (_, index) => {
  let state = index + 1
  const pick = (list: readonly string[]): string => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return list[Math.floor((state / 2 ** 32) * list.length)] ?? ''
  }
  const more = Array.from({ length: index % 3 }, () => pick(OPERATORS) + pick(PARTS))
  return [pick(PARTS), ...more].join('')
})

test('expressions of tags mean what they mean to Vitest', async () => {
  const file = join(REPOSITORY, 'node_modules/@vitest/runner/dist/utils.js')
  const { createTagsFilter } = (await import(pathToFileURL(file).href)) as { createTagsFilter: CreateFilter }
  const definitions = TAGS.map((name) => ({ name }))
  const sets = [[], ['slow'], ['codex', 'order'], ['claude-code', 'android'], TAGS]
  expect(new Set(drawn).size).toBeGreaterThan(100)
  for (const expression of drawn)
    for (const tags of sets) {
      const expected = createTagsFilter([expression], definitions)(tags)
      expect(readTagsFilter([expression])?.(tags), `${expression} on ${tags.join()}`).toBe(expected)
    }
})

test('all of several expressions have to hold', () => {
  const matches = readTagsFilter(['slow', '!codex'])
  expect([matches?.(['slow']), matches?.(['slow', 'codex']), matches?.([])]).toEqual([true, false, false])
})

test.for(['', 'slow codex', '(slow', 'slow)', 'slow and', 'and slow', 'a & b', '!'])(
  '%j is left to Vitest',
  (expression) => {
    expect(readTagsFilter([expression])).toBeNull()
  },
)
