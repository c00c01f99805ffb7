import { readdirSync, readFileSync } from 'node:fs'
import { createFixture, type FsFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { sampleDecisions, writeRunLogs } from '../../../../src/report/golden/run-log.ts'
import { isLogged, type RunLogLine } from '../../../../src/report/golden/run-log-line.ts'
import type { JudgePart } from '../../../../src/judges/judgement.ts'
import type { CaseResult } from '../../../../src/report/results/result.ts'
import { caseResult } from '../../../support/case-result.ts'

const JUDGE: JudgePart = {
  result: 'failed',
  reason: 'HF1',
  error: null,
  model: 'gpt-5.2',
  provider: 'openai',
  selfJudged: false,
  statements: [],
  votes: 1,
  requests: 1,
  usage: { inputTokens: 500, outputTokens: 50, cacheReadTokens: 0, cacheWriteTokens: 0 },
  costUsd: 0.01,
  notices: [],
  rubric: {
    dimensions: [
      { dimension: 'tone', weight: 40, score: 5, justification: 'calm', clampedFrom: 7 },
      { dimension: 'recall', weight: 60, score: null, justification: 'N/A' },
    ],
    weighted: 5,
    threshold: 4,
    hardFails: ['HF1'],
    justification: 'Names a ticker.',
    facts: [],
    missed: [],
  },
}

function golden(fixture: FsFixture, part: Partial<CaseResult> = {}): CaseResult {
  const id = part.name ?? 'happy/001_hours'
  return caseResult(id, {
    format: 'golden',
    id: `evals/golden/${id}.md#${id}`,
    category: 'happy',
    packageRoot: fixture.getPath('clerk'),
    outcome: 'failed',
    reason: 'HF1',
    judge: JUDGE,
    runs: caseResult('x').runs.map((run) => ({ ...run, folder: 'run/cases/x' })),
    ...part,
  })
}

function read(fixture: FsFixture): readonly string[] {
  const folder = fixture.getPath('clerk/evals/runs')
  const names = readdirSync(folder).filter((name) => name.endsWith('.jsonl'))
  return names.flatMap((name) => readFileSync(`${folder}/${name}`, 'utf8').trimEnd().split('\n'))
}

function write(fixture: FsFixture, ...results: readonly CaseResult[]): void {
  writeRunLogs({ results, root: fixture.path, runFolder: fixture.getPath('run') })
}

test('a line has the keys of the format in its order, then only those that apply', async () => {
  await using fixture = await createFixture({ 'run/cases/x/response.txt': 'Buy ACME.\n' })
  write(fixture, golden(fixture))
  const [line = ''] = read(fixture)
  const { ts, agent_response_path: path, ...rest } = JSON.parse(line) as RunLogLine
  expect(ts).toMatch(/^2026-02-22T\d\d:\d\d:19\.004[+-]\d\d:\d\d$/)
  expect(path).toBe(`runs/responses/${ts.slice(0, 10)}_001_hours.txt`)
  expect(readFileSync(fixture.getPath(`clerk/evals/${path ?? ''}`), 'utf8')).toBe('Buy ACME.\n')
  expect(rest).toEqual({
    agent: 'clerk',
    test_id: '001_hours',
    category: 'happy',
    agent_model: 'claude-sonnet-4-20250514',
    judge_model: 'gpt-5.2',
    scores: { tone: 5, recall: null },
    weighted_score: 5,
    hard_fails: ['HF1'],
    verdict: 'fail',
    judge_justification: 'Names a ticker.',
    agent_input_tokens: 1034,
    agent_output_tokens: 200,
    agent_cost_usd: 0.02,
    judge_input_tokens: 500,
    judge_output_tokens: 50,
    judge_cost_usd: 0.01,
    trigger: 'eval',
    clamped_scores: { tone: 7 },
  })
  expect(Object.keys(JSON.parse(line) as object)).toEqual(
    'ts agent test_id category agent_model judge_model scores weighted_score hard_fails verdict agent_response_path judge_justification agent_input_tokens agent_output_tokens agent_cost_usd judge_input_tokens judge_output_tokens judge_cost_usd trigger clamped_scores'.split(
      ' ',
    ),
  )
})

test('3.4.6 each result is written once, however often the reports are; a second one of the day gets its own response', async () => {
  await using fixture = await createFixture({ 'run/cases/x/response.txt': 'One.' })
  const first = golden(fixture)
  write(fixture, first)
  write(fixture, first)
  expect(read(fixture)).toHaveLength(1)
  write(fixture, first, golden(fixture, { startedAt: '2026-02-22T14:40:01.000Z' }))
  expect(
    read(fixture).map((line) =>
      (JSON.parse(line) as RunLogLine).agent_response_path?.replace(/\d{4}-\d\d-\d\d/, 'DAY'),
    ),
  ).toEqual(['runs/responses/DAY_001_hours.txt', 'runs/responses/DAY_001_hours_2.txt'])
})

test('agent crashes during test: fail with the hard fail agent_error and what was thrown', async () => {
  await using fixture = await createFixture({ run: {} })
  const error = { code: 'engine-failed', message: 'claude exited with 1\n    at line 2' } as const
  write(
    fixture,
    golden(fixture, {
      outcome: 'errored',
      error,
      judge: { ...JUDGE, result: 'skipped', rubric: undefined } as never,
      agent_output_snippet: null,
    }),
  )
  const line = JSON.parse(read(fixture)[0] ?? '') as RunLogLine
  expect([line.verdict, line.hard_fails, line.error, line.scores, line.weighted_score]).toEqual([
    'fail',
    ['agent_error'],
    [
      'claude exited with 1\n    at line 2',
      'stderr: run/cases/x/metrics.json (stderr_tail); transcript: run/cases/x/transcript.jsonl',
    ].join('\n'),
    {},
    null,
  ])
})

test('a judge that cannot be understood is judge_error, and what was never started has no line', async () => {
  await using fixture = await createFixture({ run: {} })
  const error = { code: 'judge-failed', message: 'malformed twice' } as const
  const { rubric: _, ...noScores } = JUDGE
  write(fixture, golden(fixture, { outcome: 'errored', error, judge: { ...noScores, result: 'errored', error } }))
  expect(JSON.parse(read(fixture)[0] ?? '')).toMatchObject({
    verdict: 'judge_error',
    hard_fails: [],
    error: 'malformed twice',
  })

  const none = { judge: null, runs: [] }
  expect(isLogged(golden(fixture, { ...none, outcome: 'skipped' }))).toBe(false)
  expect(isLogged(golden(fixture, { ...none, outcome: 'errored', error: { code: 'stale', message: 'x' } }))).toBe(false)
  expect(isLogged(golden(fixture, { reused_from: 'x' }))).toBe(false)
  expect(isLogged(caseResult('a'))).toBe(false)
})

test('a folder that cannot be written costs the log and says so', async () => {
  await using fixture = await createFixture({ run: {}, 'clerk/evals/runs': 'a file' })
  const [logged] = writeRunLogs({ results: [golden(fixture)], root: fixture.path, runFolder: fixture.getPath('run') })
  expect(logged?.problem).toContain('Make it writable, or run with --no-write.')
})

test('the audit takes a share of the decisions, at least one, and the same ones each time', () => {
  const line = (n: number, verdict: RunLogLine['verdict'] = 'pass'): RunLogLine =>
    ({
      ts: '2026-05-06T10:00:00',
      test_id: `t${n}`,
      category: 'happy',
      verdict,
      judge_model: 'gpt-5.2',
      hard_fails: [],
    }) as never
  const ten = Array.from({ length: 10 }, (_, n) => line(n))
  const sample = sampleDecisions(ten, 0.1)
  expect([sample.sampled.length, sample.decisions]).toEqual([1, 10])
  expect(sampleDecisions(ten.toReversed(), 0.1)).toEqual(sample)
  expect(sampleDecisions([...ten, line(11, 'judge_error')], 0.3).sampled).toHaveLength(3)
  expect(sampleDecisions(ten.slice(0, 5), 0.1).sampled).toHaveLength(1)
  expect(sampleDecisions(ten, 0).sampled).toEqual([])
  // The author of a scenario decided one, and a recording repeats the other.
  const scripted = { ...line(11), judge_model: 'scenario' }
  const repeated = { ...line(12), judge_cost_usd: 0, judge_input_tokens: null }
  expect(sampleDecisions([scripted, repeated], 1)).toEqual({ decisions: 0, sampled: [] })
})
