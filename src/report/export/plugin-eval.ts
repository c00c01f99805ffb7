import { mkdirSync, writeFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { toPathSegment } from '../../formats/paths.ts'
import type { Grader, GraderTarget, ToolMatch } from '../../formats/plugin-eval/model.ts'
import { hasExtra } from '../../formats/registry.ts'
import { scoreOf, type GraderResult } from '../../judges/grader-score.ts'
import { groupBy, sum, sumOf } from '../../lib/lists.ts'
import { pathFrom } from '../../packages/package-root.ts'
import type { CaseResult, GradedDefinition, GradedPart, RunSummary } from '../results/result.ts'

/** What an export is made from. */
interface PluginEvalExport {
  /** The Vitest root, absolute. */
  readonly root: string
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
 * What this project adds is in `agentEvals`, which readers of the format leave alone. Like there, a file is of one plugin,
 * one engine and one model: plugins whose folders have one name are named by their path, further engines and models by
 * their names.
 */
export function exportPluginEval(request: PluginEvalExport): readonly string[] {
  const graded = request.results.filter(({ format }) => hasExtra(format, 'aggregate-result'))
  const roots = [...new Set(graded.map(({ packageRoot }) => packageRoot))]
  return roots.flatMap((root) => {
    const ofRoot = graded.filter(({ packageRoot }) => packageRoot === root)
    const folder = join(request.runFolder, 'plugin-eval', folderName(root, roots, request.root))
    mkdirSync(folder, { recursive: true })
    const variants = groupBy(ofRoot, ({ engineName, model }) =>
      [engineName, model].flatMap((name) => (name === undefined ? [] : [`.${toPathSegment(name)}`])).join(''),
    )
    return [...variants].map(([variant, results], index) => {
      const file = join(folder, `aggregate-result${index === 0 ? '' : variant}.json`)
      writeFileSync(file, `${JSON.stringify(buildAggregate(root, results, request), null, 2)}\n`)
      return file
    })
  })
}

// Compared without case, since a file system may.
function folderName(root: string, roots: readonly string[], vitestRoot: string): string {
  const name = nameOf(root)
  const isShared = roots.some((other) => other !== root && nameOf(other).toLowerCase() === name.toLowerCase())
  return toPathSegment(isShared && root !== vitestRoot ? pathFrom(vitestRoot, root) : name)
}

/** The document. Pure. As there, a case that did not run is not in it, and makes it partial. */
export function buildAggregate(
  root: string,
  results: readonly CaseResult[],
  { partial, startedAt, durationMs }: Pick<PluginEvalExport, 'durationMs' | 'partial' | 'startedAt'>,
): object {
  const started = results.filter(isStarted)
  const cases = started
    .filter(({ arm }) => arm === undefined)
    .map((one) => buildCase(root, one, started.find((other) => isOtherArm(one, other)) ?? null))
  const scores = cases.map(({ aggregates }) => aggregates.score)
  const deltas = cases.flatMap(({ aggregates }) => (aggregates.delta === undefined ? [] : [aggregates.delta]))
  const threshold = started[0]?.graded.threshold ?? 1
  const isPartial = partial || started.length < results.length
  return {
    schemaVersion: 1,
    claudeVersion: results.find(({ engine }) => engine.name === 'claude-code')?.engine.version ?? '',
    startedAt,
    durationSeconds: Math.round(durationMs / 1000),
    costUsd: sumOf(results, (one) => (one.costUsd ?? 0) + (one.judge?.costUsd ?? 0)),
    partial: isPartial,
    ...(isPartial ? { partialReason: reasonOf(results) } : {}),
    suite: {
      root,
      ablation: started.some(({ graded }) => graded.definition.ablation === 'with-without') ? 'with-without' : 'none',
      threshold,
      plugins: pluginsOf(started.map(({ graded }) => graded.definition)),
    },
    cases,
    aggregates: {
      casesTotal: cases.length,
      casesPassed: scores.filter((score) => score >= threshold).length,
      overallScore: mean(scores),
      overallPassRate: mean(cases.map(({ aggregates }) => aggregates.passRate)),
      ...(deltas.length === 0 ? {} : { meanDelta: mean(deltas) }),
    },
  }
}

type StartedResult = CaseResult & Required<Pick<CaseResult, 'graded'>>

function isStarted(result: CaseResult): result is StartedResult {
  return result.graded !== undefined && (result.outcome !== 'skipped' || result.runs.length > 0)
}

function reasonOf(results: readonly CaseResult[]): 'cost_ceiling' | 'interrupted' {
  return results.some(({ reason }) => reason?.includes('--max-cost-usd') === true) ? 'cost_ceiling' : 'interrupted'
}

function pluginsOf(definitions: readonly GradedDefinition[]): readonly object[] {
  const plugins = new Map(definitions.flatMap((one) => one.plugins.map((plugin) => [plugin.path, plugin] as const)))
  return [...plugins.values()].map(({ name, version, path }) => ({
    name,
    ...(version === null ? {} : { version }),
    path,
  }))
}

function isOtherArm(one: CaseResult, other: CaseResult): boolean {
  const isSameCase = one.file === other.file && other.id.startsWith(`${one.id}@`)
  return other.arm !== undefined && isSameCase && one.engineName === other.engineName
}

interface Aggregates {
  readonly score: number
  readonly passRate: number
  readonly scoreWithout?: number
  readonly passRateWithout?: number
  readonly delta?: number
}

function buildCase(
  root: string,
  one: StartedResult,
  without: StartedResult | null,
): { readonly aggregates: Aggregates } & Readonly<Record<string, unknown>> {
  const { definition, score } = one.graded
  const arms = { with: buildArm(one), ...(without === null ? {} : { without: buildArm(without) }) }
  return {
    name: definition.name,
    dir: toPosix(relative(root, definition.caseDir)),
    source: definition.source,
    promptMarkdown: definition.prompt,
    ...(definition.model === null ? {} : { model: definition.model }),
    runsPerCase: one.runs.length,
    timeoutSeconds: definition.timeoutSeconds,
    maxTurns: definition.maxTurns,
    graders: definition.graders.map(buildDefinition),
    arms,
    aggregates: { ...aggregate(arms.with), ...compare(arms.with, arms.without ?? []) },
    agentEvals: { outcome: one.outcome, reason: one.reason, engine: one.engineName, score },
  }
}

function buildDefinition(grader: Grader): object {
  const { name, type, weight } = grader
  const isJudged = type === 'llm' || type === 'baseline'
  return {
    name,
    type,
    weight,
    ...(isJudged ? { graderMarkdown: grader.criteria } : {}),
    config: writtenConfig(grader),
  }
}

function aggregate(runs: readonly ExportedRun[]): Pick<Aggregates, 'passRate' | 'score'> {
  return { score: mean(runs.map(({ score }) => score)), passRate: mean(runs.map(({ passed }) => (passed ? 1 : 0))) }
}

// Arms of which a run could not be graded, or not by all graders, are not compared, as there.
function compare(
  withPlugin: readonly ExportedRun[],
  without: readonly ExportedRun[],
): Pick<Aggregates, 'delta' | 'passRateWithout' | 'scoreWithout'> {
  if (without.length === 0) return {}
  const { score, passRate } = aggregate(without)
  const isComparable = [...withPlugin, ...without].every(
    (run) => run.agentEvals === undefined && !run.skippedPaidGraders,
  )
  return {
    passRateWithout: passRate,
    ...(isComparable ? { scoreWithout: score, delta: aggregate(withPlugin).score - score } : {}),
  }
}

// A suite without cases has 0 there, too.
function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : sum(values) / values.length
}

function nameOf(path: string): string {
  return path.split(sep).findLast((part) => part !== '') ?? 'plugin'
}

function toPosix(path: string): string {
  return path.split(sep).join('/')
}

/** A run as `aggregate-result.json` has it. */
interface ExportedRun {
  /** As there: what has no verdict counts as not passed, and `agentEvals` says so. */
  readonly score: number
  readonly passed: boolean
  readonly skippedPaidGraders: boolean
  /** What the format cannot say: the run has no score. */
  readonly agentEvals?: { readonly outcome: 'errored'; readonly score: null }
  readonly [field: string]: unknown
}

/** The runs of one arm of a case. One that broke before its agent ran is one run, as there. */
function buildArm(result: CaseResult): readonly ExportedRun[] {
  const { runs } = result
  if (runs.length === 0) return [brokenRun(result)]
  return runs.map((run) =>
    buildRun(run, run.verdict?.graded ?? (runs.length === 1 ? result.graded : undefined), result),
  )
}

const NO_SCORE = 'The run could not be completed.'
const UNGRADED = { outcome: 'errored', score: null } as const

function brokenRun({ reason, startedAt }: CaseResult): ExportedRun {
  return {
    score: 0,
    passed: false,
    turns: 0,
    costUsd: 0,
    judgeCostUsd: 0,
    durationSeconds: 0,
    startedAt,
    error: reason ?? NO_SCORE,
    tracePath: '',
    skippedPaidGraders: false,
    graders: [],
    agentEvals: UNGRADED,
  }
}

function buildRun(run: RunSummary, graded: GradedPart | undefined, result: CaseResult): ExportedRun {
  const { runs } = result
  const outcome = run.verdict?.outcome ?? result.outcome
  const isGraded = outcome !== 'errored' && outcome !== 'skipped' && (graded?.score ?? null) !== null
  const graders = graded?.graders ?? []
  const score = graded?.aborted === undefined ? shareOf(graders) : 0
  const judge = run.verdict?.judge ?? (runs.length === 1 ? result.judge : null)
  const judgeCostUsd = judge?.costUsd ?? 0
  return {
    score,
    passed: score === 1,
    turns: run.requests,
    costUsd: (run.costUsd ?? 0) + judgeCostUsd,
    judgeCostUsd,
    durationSeconds: Math.round(run.durationMs / 1000),
    startedAt: result.startedAt,
    error: run.problem ?? (isGraded ? null : (run.verdict?.reason ?? result.reason ?? NO_SCORE)),
    tracePath: run.folder === null ? '' : `${run.folder}/transcript.jsonl`,
    skippedPaidGraders: outcome === 'skipped' && graders.some(isUndecided),
    ...(graded?.aborted === undefined ? {} : { aborted: graded.aborted }),
    graders: graders.map(buildGrader),
    ...(isGraded ? {} : { agentEvals: UNGRADED }),
  }
}

function isUndecided({ outcome }: GraderResult): boolean {
  return outcome === 'errored'
}

function shareOf(graders: readonly GraderResult[]): number {
  const decided = graders.map((one): GraderResult => (isUndecided(one) ? { ...one, outcome: 'failed' } : one))
  return scoreOf(decided) ?? 0
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

/** The fields of a grader as an author writes them, without its name, type and weight. */
function writtenConfig(grader: Grader): Readonly<Record<string, unknown>> {
  const arm = grader.arm === null ? {} : { arm: grader.arm }
  switch (grader.type) {
    case 'regex': {
      const match = typeof grader.match === 'string' ? grader.match : `count:${grader.match.count}`
      return { target: writtenTarget(grader.target), pattern: grader.pattern, flags: grader.flags, match, ...arm }
    }
    case 'tool_order':
      return { before: writtenTool(grader.before), after: writtenTool(grader.after), ...arm }
    case 'tool_used':
      return {
        ...writtenTool(grader),
        ...(grader.min === null ? {} : { min: grader.min }),
        ...(grader.max === null ? {} : { max: grader.max }),
        ...arm,
      }
    case 'file_exists':
      return { path: grader.path, exists: grader.exists, ...arm }
    case 'llm':
      return { criteria: grader.criteria, focus: writtenTarget(grader.focus), ...arm }
    case 'baseline':
      return { baseline_file: grader.baselineFile.path, criteria: grader.criteria, ...arm }
  }
}

function writtenTarget(target: GraderTarget): unknown {
  return target.kind === 'file' ? { source: 'file', path: target.path } : target.kind
}

function writtenTool({ tool, inputMatch }: ToolMatch): Readonly<Record<string, unknown>> {
  return { tool, ...(inputMatch === null ? {} : { input_match: inputMatch }) }
}
