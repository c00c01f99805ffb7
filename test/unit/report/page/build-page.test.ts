import { expect, test } from 'vitest'
import { buildPage } from '../../../../src/report/page/build-page.ts'
import { readReport } from '../../../../src/report/read-report.ts'

const CASE = {
  name: 'reads',
  file: 'evals/cases/reads.yaml',
  line: 3,
  engine: 'claude-code',
  id: 'evals/cases/reads.yaml#reads',
}
const RUN = { index: 1, status: 'completed', folder: '.vitest/agent-evals/run-1/cases/reads/claude-code.1' }

function timed(duration_seconds: number): object {
  return { ...RUN, duration_seconds }
}

function page(...cases: readonly object[]): ReturnType<typeof buildPage> {
  const report = {
    version: 1,
    agent_evals_version: '0.2.0',
    id: 'eval-run-1',
    cases: cases.map((one) => ({ ...CASE, verdict: 'PASS', ...one })),
  }
  return buildPage({ reports: [readReport(report, 'report.json')], runsFolders: [] }, new Date(0))
}

test('outcomes are counted apart, and a run for comparison is in no count', () => {
  const { overview } = page(
    { name: 'a' },
    { name: 'b', verdict: 'FAIL' },
    { name: 'c', verdict: 'ERROR' },
    { name: 'd', verdict: 'SKIP' },
    { name: 'b', arm: 'without_skill', verdict: 'FAIL' },
  )
  expect(overview.totals).toMatchObject({ total: 4, passed: 1, failed: 1, errored: 1, skipped: 1, rate: 0.5 })
  expect(overview.rows).toHaveLength(5)
})

test('cost and tokens name the part that is unknown, also of an arm', () => {
  const usage = { input_tokens: 3, output_tokens: 4, cache_read_tokens: 0, cache_write_tokens: 0 }
  const { totals } = page(
    { name: 'a', runs: [RUN], cost_usd: 0.25, usage },
    { name: 'b', runs: [RUN], cost_usd: null },
    { name: 'c', runs: [RUN], cost_usd: 1, usage, arm: 'without_skill' },
    { name: 'd', verdict: 'SKIP', cost_usd: null },
  ).overview
  expect(totals).toMatchObject({ cost_usd: 1.25, unknown_cost: 1, tokens: 14, unknown_tokens: 1 })
})

test('a case that was not run again is marked, with the time of the runs that made it', () => {
  const { rows } = page({ name: 'a', cached: true, runs: [timed(4), timed(0.5)] }, { name: 'b' }).overview
  expect(rows.map(({ cached, duration_seconds: took }) => [cached, took])).toEqual([
    [true, 4.5],
    [false, null],
  ])
})

test('without a decided case there is no rate', () => {
  expect(page({ verdict: 'ERROR' }).overview.totals).toMatchObject({ rate: null, interval: null })
})

test('a key is readable, unique, and the same in every page', () => {
  const keys = page({}, {}, { name: '<b>', id: 'x' }).overview.rows.map(({ key }) => key)
  expect(new Set(keys).size).toBe(3)
  expect(keys[0]).toMatch(/^reads-[0-9a-f]{8}$/)
  expect(keys[2]).toMatch(/^b-[0-9a-f]{8}$/)
  expect(page({}).overview.rows[0]?.key).toBe(keys[0])
})

test('the arms and engines of a case share a group', () => {
  const groups = page(
    {},
    { arm: 'without_skill', id: `${CASE.id}@without_skill` },
    { engine: 'codex' },
    { name: 'other', id: 'x#other' },
  ).overview.rows.map(({ group }) => group)
  expect(new Set(groups.slice(0, 3)).size).toBe(1)
  expect(groups[3]).not.toBe(groups[0])
})

test('an answer that a person wrote never counts as that of a model', () => {
  const rows = page(
    { source: 'scenario' },
    { source: 'replay', recorded: { at: '2026-01-01', origin: 'scenario', engine_version: null } },
    { source: 'replay', recorded: { at: '2026-01-01', origin: 'claude-opus', engine_version: null } },
  ).overview.rows
  expect(rows.map(({ scripted }) => scripted)).toEqual([true, true, false])
  const trigger = {
    skill: 'x',
    should_trigger: false,
    rate: 0,
    interval: [0, 0.79],
    runs: 1,
    completed: 1,
    fired: 0,
    errors: 0,
    threshold: 0.5,
    fired_instead: [],
  }
  const queries = page({ source: 'scenario', trigger }, { source: 'live', trigger }).overview
  expect(queries.rows.map(({ rate }) => rate)).toEqual([
    null,
    { of: 'used', count: 0, completed: 1, value: 0, interval: [0, 0.79] },
  ])
  expect(queries.totals.interval).toBeNull()
})

test('a case whose run folder is gone keeps its verdict and says that the transcript is missing', () => {
  const files = { created: [{ path: 'a.txt', size: 3 }], modified: [], deleted: ['b.txt'], unreadable: [] }
  const [entry] = page({ runs: [{ ...RUN, files }] }).details
  expect(entry?.detail.runs[0]).toMatchObject({
    missing: expect.stringMatching(/^The transcript is missing: .*claude-code\.1 is not there/) as unknown,
    events: [],
    files: [
      { path: 'a.txt', change: 'created', note: expect.stringContaining('missing') as unknown },
      { path: 'b.txt', change: 'deleted' },
    ],
  })
})

test('the command names the engine only where there are several', () => {
  const commands = (...cases: readonly object[]): readonly string[] =>
    [...page(...cases).details].map(({ detail }) => detail.rerun)
  expect(commands({})).toEqual(['npx vitest-agent-evals run evals/cases/reads.yaml:3'])
  expect(commands({}, { engine: 'codex' })[1]).toContain(' --engine codex ')
  // The line alone names several cases, and a run refuses it.
  expect(commands({ column: 40 })).toEqual(['npx vitest-agent-evals run evals/cases/reads.yaml:3:40'])
})
