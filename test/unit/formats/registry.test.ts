import { expect, test } from 'vitest'
import { formatOf, formats, hasExtra } from '../../../src/formats/registry.ts'
import type { Suite } from '../../../src/formats/suite.ts'

test.each([
  ['aam', 'evals/cases/one.yaml', 'evals/cases'],
  ['golden', 'evals/golden/happy/one.md', 'evals/golden/happy'],
  ['plugin-eval', 'evals/group/one/case.yaml', 'evals/group'],
  ['skill-evals', 'skills/s/evals/evals.json', 'skills/s/evals/evals'],
  ['triggers', 'skills/s/evals/triggers.json', 'skills/s/evals/triggers'],
  ['typescript', 'evals/one.eval.ts', 'evals/one.eval'],
  ['of-a-later-version', 'evals/one.x', 'evals/one'],
])('recordings of %s: %s is in %s', (format, suite, folder) => {
  expect(formatOf(format).recordingFolder(suite)).toBe(folder)
})

test('what is written beside the report is up to the format, and nothing of a format that is not known', () => {
  const extras = Object.keys(formats).map((name) => [name, formats[name]?.extras ?? []])
  expect(Object.fromEntries(extras)).toEqual({
    aam: [],
    golden: ['run-log'],
    'plugin-eval': [],
    'skill-evals': ['execution-summary', 'grading'],
    triggers: ['execution-summary', 'grading'],
    typescript: [],
  })
  expect(hasExtra('of-a-later-version', 'run-log')).toBe(false)
})

test('a judge.md that names no judge is an error of golden tests', () => {
  const suiteOf = (crossFamily: readonly string[]): Suite => {
    const agent = { judge: { file: '/a/evals/judge.md', crossFamily, sameFamilyFallback: [] } }
    return { cases: [{ kind: 'golden', golden: { agent } }] } as unknown as Suite
  }
  expect(formatOf('golden').lint?.(suiteOf([]))).toMatchObject([{ code: 'no-recommended-judge', severity: 'error' }])
  expect(formatOf('golden').lint?.(suiteOf(['openai:gpt-5']))).toEqual([])
})
