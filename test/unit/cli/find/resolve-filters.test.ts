import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { resolveFilter, unite, type Searched } from '../../../../src/cli/find/resolve-filters.ts'
import { evalCase } from '../../../support/eval-case.ts'
import type { EvalCase, Target } from '../../../../src/formats/suite.ts'

function caseAt(id: string, line: number, target: Target | null = null): EvalCase {
  return evalCase({ id, target, at: { line, column: 1 } })
}

const searched: Searched = {
  root: '/repo',
  suites: [
    {
      file: '/repo/pkg/evals/cases/pdf.yaml',
      packageRoot: '/repo/pkg',
      cases: [caseAt('pdf-extraction', 1, { kind: 'skill', name: 'pdf-tools' })],
    },
    {
      file: '/repo/pkg/evals/cases/review.yaml',
      packageRoot: '/repo/pkg',
      cases: [caseAt('review-one', 3, { kind: 'agent', name: 'reviewer' })],
    },
    {
      file: '/repo/pkg/evals/cases/other.yaml',
      packageRoot: '/repo/pkg',
      cases: [caseAt('review-two', 4, { kind: 'agent', name: 'reviewer' }), caseAt('pdf', 9)],
    },
  ],
  evalFiles: ['/repo/pkg/extract.eval.ts'],
}

test.for([
  ['an exact name', 'pdf-extraction', ['/repo/pkg/evals/cases/pdf.yaml'], ['pdf-extraction']],
  ['a name before a path that has it in it', 'pdf', ['/repo/pkg/evals/cases/other.yaml'], ['pdf']],
  ['an id with its suite', 'evals/cases/review.yaml#review-one', ['/repo/pkg/evals/cases/review.yaml'], ['review-one']],
  [
    'an agent',
    'reviewer',
    ['/repo/pkg/evals/cases/review.yaml', '/repo/pkg/evals/cases/other.yaml'],
    ['review-one', 'review-two'],
  ],
  ['a part of a path', 'cases/rev', ['/repo/pkg/evals/cases/review.yaml'], ['review-one']],
  ['a file with a line', 'pkg/evals/cases/pdf.yaml:1', ['/repo/pkg/evals/cases/pdf.yaml'], ['pdf-extraction']],
  ['a file of evals in TypeScript', 'extract.eval', ['/repo/pkg/extract.eval.ts'], []],
  ['a line of one', 'extract.eval.ts:7', ['/repo/pkg/extract.eval.ts:7'], []],
  ['a path from here', './pkg/evals/cases/pdf', ['/repo/pkg/evals/cases/pdf.yaml'], ['pdf-extraction']],
  ['one case of a file', 'other.yaml:9', ['/repo/pkg/evals/cases/other.yaml'], ['pdf']],
] as const)('%s is found', ([, filter, files, ids]) => {
  const { files: found, cases } = unite([resolveFilter(filter, searched)])
  expect([found, [...cases.values()].flatMap((one) => [...one])]).toEqual([files, ids])
})

const oneLine: Searched = {
  root: '/repo',
  suites: [
    {
      file: '/repo/evals.json',
      packageRoot: '/repo',
      cases: [caseAt('a', 1), { ...caseAt('b', 1), at: { line: 1, column: 40 } }],
    },
  ],
  evalFiles: [],
}

test('several cases on one line are told apart by their columns', () => {
  const idsAt = (filter: string): readonly string[] =>
    resolveFilter(filter, oneLine).cases.map((one) => one.evalCase.id)
  expect(idsAt('evals.json:1:40')).toEqual(['b'])
  expect(idsAt('evals.json:1:39')).toEqual(['a'])
  expect(idsAt('evals.json:1:400')).toEqual(['b'])
  expect(idsAt('b')).toEqual(['b'])
  expect(resolveFilter('evals.json', oneLine)).toMatchObject({ cases: [{}, {}], refusal: null })
  expect(resolveFilter('evals.json:1', oneLine).refusal).toBe(
    '2 cases start at evals.json:1. Add the column: evals.json:1:1 is "a", evals.json:1:40 is "b". For all of them, leave out the line.',
  )
})

test('any line of an entry names it, even one above the line of its id', () => {
  const start = (line: number): Pick<EvalCase, 'start'> => ({ start: { line, column: 5 } })
  const cases = [
    { ...caseAt('a', 4), ...start(3) },
    { ...caseAt('b', 9), ...start(7) },
  ]
  const some: Searched = { root: '/r', suites: [{ file: '/r/evals.json', packageRoot: '/r', cases }], evalFiles: [] }
  const idsAt = (line: number): readonly string[] =>
    resolveFilter(`evals.json:${line}`, some).cases.map((one) => one.evalCase.id)
  expect([3, 4, 6, 7, 8, 9, 30].map(idsAt)).toEqual([['a'], ['a'], ['a'], ['b'], ['b'], ['b'], ['b']])
  expect(resolveFilter('evals.json:6:2', some).cases.map((one) => one.evalCase.id)).toEqual(['a'])
  expect(() => idsAt(2)).toThrow('No case is at evals.json:2. Cases begin at: 3, 7.')
  expect(() => resolveFilter('evals.json:2:9', some)).toThrow('No case is at evals.json:2:9. Cases begin at: 3:5, 7:5.')
})

test('a test in TypeScript is found by its name, and by any line of it', () => {
  const at = { file: '/repo/pkg/extract.eval.ts', tags: [], isComputed: false }
  const tests = [
    { ...at, name: 'a block > greets', title: 'greets', line: 5 },
    { ...at, name: 'leaves', title: 'leaves', line: 9 },
  ]
  const found = (filter: string): readonly string[] => resolveFilter(filter, { ...searched, tests }).files
  for (const filter of ['greets', 'a block > greets', 'a block greets', 'extract.eval.ts:8', 'extract.eval.ts:8:3'])
    expect(found(filter)).toEqual(['/repo/pkg/extract.eval.ts:5'])
  expect(found('extract.eval.ts:40')).toEqual(['/repo/pkg/extract.eval.ts:9'])
  expect(() => found('leavs')).toThrow('Did you mean "leaves"?')
})

test.for([
  ['pdf-extractoin', 'No case, agent or file matches "pdf-extractoin". Did you mean "pdf-extraction"?'],
  ['reviewr', 'No case, agent or file matches "reviewr". Did you mean "reviewer"?'],
  ['skill:pdf-tools', 'No case is called "skill:pdf-tools". Did you mean --target skill:pdf-tools?'],
  ['pdf (codex)', 'No case is called "pdf (codex)". Did you mean "pdf" with --engine codex?'],
  [
    'zzzzzz',
    'No case, agent or file matches "zzzzzz". Cases: pdf-extraction, review-one, review-two, pdf, reviewer, pdf.yaml, review.yaml, other.yaml, extract.eval.ts.',
  ],
] as const)('%s is refused with the nearest names', ([filter, message]) => {
  expect(() => resolveFilter(filter, searched)).toThrow(expect.objectContaining({ code: 'no-match', message }))
})

test('a line behind the end of a file, or before its first case, is refused', async () => {
  await using fixture = await createFixture({
    'evals.json': '[\n{ "id": "a" },\n{ "id": "b" }\n]\n\n',
    'a.eval.ts': "import { test } from 'vitest-agent-evals/test'\ntest('greets', () => {})\n",
  })
  const [file, evalFile] = [fixture.getPath('evals.json'), fixture.getPath('a.eval.ts')]
  const suites = [{ file, packageRoot: fixture.path, cases: [caseAt('a', 2), caseAt('b', 3)] }]
  const tests = [{ file: evalFile, name: 'greets', title: 'greets', line: 2, tags: [], isComputed: false }]
  const found = { root: fixture.path, suites, evalFiles: [evalFile], tests }
  expect(resolveFilter('evals.json:4', found).cases.map(({ evalCase: { id } }) => id)).toEqual(['b'])
  expect(resolveFilter('a.eval.ts:2', found).files).toEqual([`${evalFile}:2`])
  for (const [place, lines] of [
    ['evals.json:1', '2, 3'],
    ['evals.json:5', '2, 3'],
    ['evals.json:99', '2, 3'],
    ['a.eval.ts:1', '2'],
    ['a.eval.ts:99', '2'],
  ])
    expect(() => resolveFilter(place ?? '', found)).toThrow(`No case is at ${place}. Cases begin at: ${lines}.`)
})

test('where there is nothing, it says how to begin', () => {
  expect(() => resolveFilter('x', { root: '/repo', suites: [], evalFiles: [] })).toThrow('agent-evals init')
})
