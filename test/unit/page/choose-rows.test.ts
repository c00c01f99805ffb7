import { expect, test } from 'vitest'
import { chooseRows } from '../../../src/page/overview/cases-view.tsx'
import type { PageRow } from '../../../src/report/page/page-data.ts'

const ROW: PageRow = {
  key: 'k',
  group: 'g',
  report: 0,
  id: 'i',
  name: 'green',
  arm: null,
  target: null,
  outcome: 'passed',
  reason: null,
  error_code: null,
  engine: 'claude-code',
  model: 'claude-opus',
  planned_model: null,
  source: 'replay',
  scripted: false,
  cached: false,
  format: 'aam',
  category: null,
  tags: [],
  quarantined: null,
  file: 'evals/cases/green.yaml',
  line: 1,
  column: null,
  duration_seconds: 2,
  cost_usd: 0.1,
  tokens: null,
  sandbox: null,
  runs: 1,
  rate: null,
}
const ROWS: readonly PageRow[] = [
  ROW,
  {
    ...ROW,
    name: 'red',
    outcome: 'failed',
    reason: 'It lied.',
    engine: 'codex',
    tags: ['nightly', 'codex'],
    cost_usd: null,
  },
  {
    ...ROW,
    name: 'broken',
    outcome: 'errored',
    reason: 'API',
    target: 'skill:pdf',
    category: 'edge',
    duration_seconds: 9,
  },
]

test.for([
  ['what did not pass first', {}, ['red', 'broken', 'green']],
  ['one outcome', { outcome: 'errored' }, ['broken']],
  ['one engine', { engine: 'codex' }, ['red']],
  ['one target', { target: 'skill:pdf' }, ['broken']],
  ['one tag of several', { tag: 'nightly' }, ['red']],
  ['one category', { category: 'edge' }, ['broken']],
  ['all words, in any case and place', { q: 'LIED codex' }, ['red']],
  ['words of the file', { q: 'green.yaml' }, ['red', 'broken', 'green']],
  ['by time, longest first', { sort: 'time-desc' }, ['broken', 'green', 'red']],
  ['by cost, unknown last both ways', { sort: 'cost' }, ['green', 'broken', 'red']],
  ['by cost down, unknown last both ways', { sort: 'cost-desc' }, ['green', 'broken', 'red']],
  ['an unknown column changes nothing', { sort: 'colour' }, ['green', 'red', 'broken']],
  ['nothing fits', { tag: 'weekly' }, []],
] as const)('%s', ([, query, names]) => {
  expect(chooseRows(ROWS, query).map(({ name }) => name)).toEqual(names)
})
