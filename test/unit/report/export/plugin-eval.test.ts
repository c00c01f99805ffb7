import { readFile } from 'node:fs/promises'
import { relative } from 'node:path'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { buildAggregate, exportPluginEval } from '../../../../src/report/export/plugin-eval.ts'
import { readAggregate, type Aggregate } from '../../../support/plugin-eval/aggregate.ts'
import { caseResult } from '../../../support/case-result.ts'
import type { GraderResult } from '../../../../src/judges/grader-score.ts'
import type { CaseResult, GradedPart } from '../../../../src/report/results/result.ts'
import type { Grader } from '../../../../src/formats/plugin-eval/model.ts'

const AT = { line: 1, column: 1 }
const JUDGED: Grader = {
  name: 'judged',
  weight: 1,
  arm: 'both',
  at: AT,
  type: 'llm',
  criteria: 'It is polite.',
  focus: { kind: 'file', path: 'a.md' },
}
const SAYS: Grader = {
  name: 'says',
  weight: 3,
  arm: null,
  at: AT,
  type: 'regex',
  pattern: 'hi',
  flags: 'i',
  match: { count: 2 },
  target: { kind: 'trace' },
}

function result(
  name: string,
  outcomes: readonly GraderResult['outcome'][],
  more: Partial<CaseResult> = {},
): CaseResult {
  const [says = 'passed', judged = 'passed'] = outcomes
  const graders = outcomes.length === 0 ? [] : [grade(SAYS, says), grade(JUDGED, judged)]
  const score = graders.length === 0 || outcomes.includes('errored') ? null : says === 'passed' ? 1 : 0.25
  const graded: GradedPart = {
    score,
    threshold: 1,
    graders,
    definition: {
      caseDir: `/plug/evals/group/${name}`,
      name,
      source: 'mixed',
      prompt: 'Say hi.',
      model: null,
      plugins: [{ name: 'plug', version: null, path: '/plug' }],
      ablation: 'with-without',
      maxTurns: 10,
      timeoutSeconds: 300,
      graders: [SAYS, JUDGED],
    },
  }
  const outcome = score === null ? 'errored' : score === 1 ? 'passed' : 'failed'
  return caseResult(name, { outcome, format: 'plugin-eval', packageRoot: '/plug', graded, ...more })
}

function grade({ name, type, weight, at }: Grader, outcome: GraderResult['outcome']): GraderResult {
  return { name, type, weight, at, withOnly: false, scored: true, outcome, explanation: 'why' }
}

function exportOf(...results: readonly CaseResult[]): Aggregate {
  const asked = { partial: false, startedAt: '2026-02-22T14:30:00.000Z', durationMs: 1500 }
  return readAggregate(JSON.stringify(buildAggregate('/plug', results, asked)))
}

test('holds what readers of the format need, of cases that passed, failed and broke', () => {
  const { cases, aggregates, partial, suite } = exportOf(
    result('good', ['passed', 'passed']),
    result('bad', ['failed', 'passed']),
    result('no-judge', ['passed', 'errored']),
    result('no-agent', [], { runs: [], reason: 'The engine is missing.' }),
  )
  expect(cases.map(({ name, dir, aggregates: { score, passRate } }) => [name, dir, score, passRate])).toEqual([
    ['good', 'evals/group/good', 1, 1],
    ['bad', 'evals/group/bad', 0.25, 0],
    // What has no verdict counts as not passed, as there; it is marked.
    ['no-judge', 'evals/group/no-judge', 0.75, 0],
    ['no-agent', 'evals/group/no-agent', 0, 0],
  ])
  expect(cases.map(({ arms }) => arms.with.map(({ error, agentEvals }) => [error, agentEvals?.score]))).toMatchObject([
    [[null, undefined]],
    [[null, undefined]],
    [[expect.any(String), null]],
    [['The engine is missing.', null]],
  ])
  expect(cases[0]?.graders).toEqual([
    {
      name: 'says',
      type: 'regex',
      weight: 3,
      config: { target: 'trace', pattern: 'hi', flags: 'i', match: 'count:2' },
    },
    {
      name: 'judged',
      type: 'llm',
      weight: 1,
      graderMarkdown: 'It is polite.',
      config: { criteria: 'It is polite.', focus: { source: 'file', path: 'a.md' }, arm: 'both' },
    },
  ])
  expect({ ...aggregates, partial, plugins: suite.plugins }).toEqual({
    casesTotal: 4,
    casesPassed: 1,
    overallScore: 0.5,
    overallPassRate: 0.25,
    partial: false,
    plugins: [{ name: 'plug', path: '/plug' }],
  })
})

test('compares the arms of a case, unless a run of one has no score', () => {
  const without = (name: string, outcomes: readonly GraderResult['outcome'][]): CaseResult => {
    const one = result(name, outcomes)
    return { ...one, id: `${one.id}@without_skill`, arm: 'without_skill' }
  }
  const { cases, aggregates } = exportOf(
    result('helps', ['passed', 'passed']),
    without('helps', ['failed', 'passed']),
    result('breaks', ['passed', 'passed']),
    without('breaks', ['passed', 'errored']),
  )
  expect(cases.map((one) => [one.name, one.aggregates.scoreWithout, one.aggregates.delta])).toEqual([
    ['helps', 0.25, 0.75],
    ['breaks', undefined, undefined],
  ])
  expect(aggregates.meanDelta).toBe(0.75)
})

test('says which call of a mock ended a run, and which graders a budget kept from their judge', () => {
  const aborted = result('aborted', [])
  const { graded } = aborted
  if (graded === undefined) throw new Error('It is graded.')
  const call = { server: 'tracker', tool: 'create', reason: 'project = "X" is not "CORE"' }
  const stopped = result('unpaid', ['passed', 'errored'], {
    outcome: 'skipped',
    reason: 'not-run: The budget of $1 is spent. Raise it with --max-cost-usd to run the rest.',
  })
  const { cases, partial, partialReason } = exportOf(
    { ...aborted, outcome: 'failed', graded: { ...graded, score: 0, aborted: call } },
    stopped,
    { ...result('unstarted', []), runs: [], outcome: 'skipped', reason: stopped.reason },
  )
  expect(
    cases.map(
      ({
        name,
        arms: {
          with: [run],
        },
      }) => [name, run?.score, run?.aborted, run?.skippedPaidGraders],
    ),
  ).toEqual([
    ['aborted', 0, call, false],
    ['unpaid', 0.75, undefined, true],
  ])
  expect([partial, partialReason]).toEqual([true, 'cost_ceiling'])
})

test('gives each plugin and each engine a file of its own, also plugins whose folders have one name', async () => {
  await using fixture = await createFixture()
  const at = (packageRoot: string, engineName = 'claude-code'): CaseResult =>
    result('good', ['passed', 'passed'], { packageRoot, engineName })
  const files = exportPluginEval({
    root: '/repo/notes',
    runFolder: fixture.path,
    results: [
      at('/repo/notes'),
      at('/repo/notes/left/Notes'),
      at('/repo/notes/right/notes'),
      at('/repo/notes/alone'),
      at('/repo/notes/alone', 'codex'),
    ],
    partial: false,
    startedAt: '2026-02-22T14:30:00.000Z',
    durationMs: 1500,
  })
  expect(files.map((file) => relative(fixture.path, file))).toEqual([
    'plugin-eval/notes/aggregate-result.json',
    expect.stringMatching(/^plugin-eval\/left-Notes-[0-9a-f]{6}\/aggregate-result\.json$/),
    expect.stringMatching(/^plugin-eval\/right-notes-[0-9a-f]{6}\/aggregate-result\.json$/),
    'plugin-eval/alone/aggregate-result.json',
    'plugin-eval/alone/aggregate-result.codex.json',
  ])
  const written = await Promise.all(files.map(async (file) => readAggregate(await readFile(file, 'utf8'))))
  expect(written.map(({ suite: { root }, cases }) => [root, cases.length])).toEqual([
    ['/repo/notes', 1],
    ['/repo/notes/left/Notes', 1],
    ['/repo/notes/right/notes', 1],
    ['/repo/notes/alone', 1],
    ['/repo/notes/alone', 1],
  ])
})
