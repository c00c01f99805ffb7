import { mkdirSync, writeFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { hasExtra } from '../../suites/formats/registry.ts'
import { toPathSegment } from '../../suites/path-segment.ts'
import { meanScore } from '../../results/graded-part.ts'
import type { GraderResult } from '../../checks/graders/grader-result.ts'
import type { GradedPart } from '../../results/graded-part.ts'
import type { CaseResult, RunSummary } from '../../results/result.ts'

/** What an export is made from. */
export interface PluginEvalExport {
  /** Absolute path of the run folder. */
  readonly runFolder: string
  readonly results: readonly CaseResult[]
  /** Whether some of what was planned did not run. */
  readonly partial: boolean
  readonly startedAt: string
  readonly durationMs: number
}

/**
 * Writes `aggregate-result.json` of each plugin as `claude plugin eval` does (`schemaVersion` 1), and returns the paths.
 * What this project adds is in `agentEvals`, which readers of the format leave alone.
 */
export function exportPluginEval(asked: PluginEvalExport): readonly string[] {
  const graded = asked.results.filter(({ format }) => hasExtra(format, 'aggregate-result'))
  return [...new Set(graded.map(({ packageRoot }) => packageRoot))].map((root) => {
    const own = graded.filter(({ packageRoot }) => packageRoot === root)
    const folder = join(asked.runFolder, 'plugin-eval', toPathSegment(nameOf(root)))
    const file = join(folder, 'aggregate-result.json')
    mkdirSync(folder, { recursive: true })
    writeFileSync(file, `${JSON.stringify(buildAggregate(root, own, asked), null, 2)}\n`)
    return file
  })
}

/** The document. Pure. */
export function buildAggregate(
  root: string,
  results: readonly CaseResult[],
  { partial, startedAt, durationMs }: Omit<PluginEvalExport, 'results' | 'runFolder'>,
): object {
  const cases = results
    .filter(({ arm }) => arm === undefined)
    .map((one) =>
      buildCase(root, one, results.find((other) => other.arm !== undefined && isSameCase(one, other)) ?? null),
    )
  const scores = cases.map(({ aggregates }) => aggregates.score)
  const deltas = cases.flatMap(({ aggregates }) => (aggregates.delta === undefined ? [] : [aggregates.delta]))
  const { threshold, ablation, plugins } = definitionOf(results)
  return {
    schemaVersion: 1,
    claudeVersion: results.find(({ engine }) => engine.name === 'claude-code')?.engine.version ?? null,
    startedAt,
    durationSeconds: Math.round(durationMs / 1000),
    costUsd: results.reduce((sum, one) => sum + (one.costUsd ?? 0) + (one.judge?.costUsd ?? 0), 0),
    partial,
    ...(partial ? { partialReason: 'interrupted' } : {}),
    suite: { root, ablation, threshold, concurrency: 1, plugins },
    cases,
    aggregates: {
      casesTotal: cases.length,
      casesPassed: scores.filter((score) => score !== null && score >= threshold).length,
      overallScore: meanScore(scores) ?? 0,
      overallPassRate: meanScore(cases.map(({ aggregates }) => aggregates.passRate)) ?? 0,
      ...(deltas.length === 0 ? {} : { meanDelta: meanScore(deltas) ?? 0 }),
    },
  }
}

interface Definition {
  readonly threshold: number
  readonly ablation: string
  readonly plugins: readonly object[]
}

function definitionOf(results: readonly CaseResult[]): Definition {
  const graded = results.find((one) => one.graded !== undefined)?.graded
  const plugins = (graded?.definition.pluginDirs ?? []).map((path) => ({ name: nameOf(path), path }))
  return { threshold: graded?.threshold ?? 1, ablation: graded?.definition.ablation ?? 'none', plugins }
}

function isSameCase(one: CaseResult, other: CaseResult): boolean {
  return one.file === other.file && other.id.startsWith(`${one.id}@`) && one.engineName === other.engineName
}

interface Aggregates {
  readonly score: number | null
  readonly passRate: number | null
  readonly scoreWithout?: number | null
  readonly passRateWithout?: number | null
  readonly delta?: number
}

function buildCase(
  root: string,
  one: CaseResult,
  without: CaseResult | null,
): { readonly aggregates: Aggregates } & Readonly<Record<string, unknown>> {
  const definition = one.graded?.definition
  const arms = { with: runsOf(one), ...(without === null ? {} : { without: runsOf(without) }) }
  const own = aggregate(arms.with)
  const other = arms.without === undefined ? null : aggregate(arms.without)
  return {
    name: definition?.name ?? one.name,
    dir: toPosix(definition === undefined ? one.suite : relative(root, definition.caseDir)),
    source: definition?.source ?? null,
    promptMarkdown: definition?.prompt ?? null,
    runsPerCase: one.runs.length,
    timeoutSeconds: definition?.timeoutSeconds ?? null,
    maxTurns: definition?.maxTurns ?? null,
    graders: definition?.graders ?? [],
    arms,
    aggregates: {
      ...own,
      ...(other === null ? {} : { scoreWithout: other.score, passRateWithout: other.passRate }),
      ...(own.score === null || other === null || other.score === null ? {} : { delta: own.score - other.score }),
    },
    agentEvals: { outcome: one.outcome, reason: one.reason, engine: one.engineName },
  }
}

interface ExportedGradedRun {
  readonly score: number | null
  readonly passed: boolean
}

function aggregate(runs: readonly ExportedGradedRun[]): Pick<Aggregates, 'passRate' | 'score'> {
  return {
    score: meanScore(runs.map(({ score }) => score)),
    passRate: runs.length === 0 ? null : runs.filter(({ passed }) => passed).length / runs.length,
  }
}

function runsOf(result: CaseResult): readonly ExportedGradedRun[] {
  return result.runs.map((run) =>
    buildRun(run, run.verdict?.graded ?? (result.runs.length === 1 ? result.graded : undefined), result),
  )
}

function buildRun(
  run: RunSummary,
  graded: GradedPart | undefined,
  result: CaseResult,
): ExportedGradedRun & Readonly<Record<string, unknown>> {
  const score = graded?.score ?? null
  return {
    score,
    passed: score === 1,
    turns: run.requests,
    costUsd: run.costUsd ?? 0,
    judgeCostUsd: run.verdict?.judge?.costUsd ?? (result.runs.length === 1 ? (result.judge?.costUsd ?? 0) : 0),
    durationSeconds: Math.round(run.durationMs / 1000),
    startedAt: result.startedAt,
    error: run.problem,
    tracePath: run.folder,
    skippedPaidGraders: false,
    graders: (graded?.graders ?? []).map(buildGrader),
  }
}

function buildGrader(grader: GraderResult): object {
  const { name, outcome, weight, explanation, withOnly, scored, votes, ours } = grader
  return {
    name,
    passed: outcome === 'passed',
    weight,
    explanation,
    withOnly,
    scored,
    ...(votes === undefined ? {} : { judgeVotes: votes.map((vote) => vote === true) }),
    ...(outcome === 'errored' || ours !== undefined ? { agentEvals: { outcome, ...ours } } : {}),
  }
}

function nameOf(path: string): string {
  return path.split(sep).findLast((part) => part !== '') ?? 'plugin'
}

function toPosix(path: string): string {
  return path.split(sep).join('/')
}
