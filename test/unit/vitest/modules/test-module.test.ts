import { SourceMap } from 'node:module'
import { expect, test } from 'vitest'
import { createTestModule } from '../../../../src/vitest/modules/test-module.ts'
import { AAM_DEFAULTS } from '../../../../src/formats/aam/aam-defaults.ts'
import { evalCase } from '../../../support/eval-case.ts'
import type { Suite } from '../../../../src/formats/suite.ts'

const TEXT = [
  'name: pdf',
  'input:',
  '  prompt: Extract',
  'expected:',
  '  contains:',
  '    - Hello',
  'judge:',
  '  criteria: All text.',
].join('\n')

const pdf = evalCase({
  id: 'pdf',
  target: { kind: 'skill', name: 'pdf-tools' },
  prompt: 'Extract',
  checks: [{ kind: 'contains', value: 'Hello', at: { line: 6, column: 7 } }],
  criteria: { text: 'All text.', at: { line: 8, column: 13 } },
  at: { line: 1, column: 7 },
  promptAt: { line: 3, column: 11 },
})

const suite: Suite = {
  format: 'aam',
  file: '/repo/evals/cases/pdf.yaml',
  packageRoot: '/repo',
  config: AAM_DEFAULTS,
  cases: [pdf],
  issues: [],
}

test('every step has a line, mapped to the line of the suite file that it is about', () => {
  const { code, map } = createTestModule(suite, TEXT, suite.cases)
  const lines = code.split('\n')
  const origin = (start: string): unknown => {
    const { originalLine, originalColumn } = new SourceMap(map as never).findEntry(
      lines.findIndex((line) => line.startsWith(start)),
      0,
    ) as { originalLine: number; originalColumn: number }
    return { line: originalLine + 1, column: originalColumn + 1 }
  }
  expect(origin('testCase(')).toEqual(pdf.at)
  expect(origin('await steps.run()')).toEqual(pdf.promptAt)
  expect(origin('await steps.check(0)')).toEqual(pdf.checks[0]?.at)
  expect(origin('await steps.judge()')).toEqual(pdf.criteria?.at)
  expect(origin('await steps.end()')).toEqual(pdf.promptAt)
})

test('the name is a plain literal and the options have unquoted keys, as static parsers want them', () => {
  const tagged = { ...suite, cases: [{ ...pdf, tags: ['codex'] }] }
  expect(createTestModule(tagged, TEXT, tagged.cases).code).toContain('testCase("pdf", { tags: ["codex"] }, ')
})

test.for([
  ['plain', '"plain"'],
  ['says "hi"', `'says "hi"'`],
  [`it's "both"`, '`it\'s "both"`'],
  ['a `b` \'c\' "d"', String.raw`"a ` + '`b` ' + String.raw`'c' \"d\""`],
  ['cost ${x}', '"cost ${x}"'],
  ['two\nlines', String.raw`"two\nlines"`],
] as const)('quotes %j', ([name, literal]) => {
  expect(createTestModule({ ...suite, cases: [{ ...pdf, name }] }, TEXT, []).code).toContain(`testCase(${literal}, `)
})

test('a target leaves other cases visible but skipped', () => {
  expect(createTestModule(suite, TEXT, [pdf]).code).not.toContain('skip')
  expect(createTestModule(suite, TEXT, []).code).toContain('skip: true')
})
