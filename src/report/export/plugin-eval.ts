import { mkdirSync, writeFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { hasExtra } from '../../suites/formats/registry.ts'
import { pathFrom } from '../../packages/package-root.ts'
import { toPathSegment } from '../../suites/path-segment.ts'
import { writtenConfig } from '../../suites/formats/plugin-eval/written-config.ts'
import { buildArm, type ExportedRun } from './plugin-eval-run.ts'
import { sum, sumOf } from '../../lists.ts'
import type { GradedDefinition } from '../../results/graded-part.ts'
import type { Formats } from '../../suites/format.ts'
import type { CaseResult } from '../../results/result.ts'
import type { Grader } from '../../suites/formats/plugin-eval/model.ts'

/** What an export is made from. */
export interface PluginEvalExport {
  /** The Vitest root, absolute. */
  readonly root: string
  /** Absolute path of the run folder. */
  readonly runFolder: string
  readonly results: readonly CaseResult[]
  /** Whether some of what was planned did not run. */
  readonly partial: boolean
  readonly startedAt: string
  readonly durationMs: number
  /** @default the built-in ones */
  readonly formats?: Formats | undefined
}

/**
 * Writes `aggregate-result.json` of each plugin as `claude plugin eval` does (`schemaVersion` 1), and returns the paths.
 * What this project adds is in `agentEvals`, which readers of the format leave alone. Like there, a file is of one plugin
 * and one engine: plugins whose folders have one name are named by their path, further engines by their name.
 */
export function exportPluginEval(asked: PluginEvalExport): readonly string[] {
  const graded = asked.results.filter(({ format }) => hasExtra(format, 'aggregate-result'))
  const roots = [...new Set(graded.map(({ packageRoot }) => packageRoot))]
  return roots.flatMap((root) => {
    const own = graded.filter(({ packageRoot }) => packageRoot === root)
    const folder = join(asked.runFolder, 'plugin-eval', folderName(root, roots, asked.root))
    mkdirSync(folder, { recursive: true })
    return [...new Set(own.map(({ engineName }) => engineName))].map((engine, index) => {
      const file = join(folder, `aggregate-result${index === 0 ? '' : `.${toPathSegment(engine)}`}.json`)
      const results = own.filter(({ engineName }) => engineName === engine)
      writeFileSync(file, `${JSON.stringify(buildAggregate(root, results, asked), null, 2)}\n`)
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
  own: readonly ExportedRun[],
  other: readonly ExportedRun[],
): Pick<Aggregates, 'delta' | 'passRateWithout' | 'scoreWithout'> {
  if (other.length === 0) return {}
  const { score, passRate } = aggregate(other)
  const isComparable = [...own, ...other].every((run) => run.agentEvals === undefined && !run.skippedPaidGraders)
  return {
    passRateWithout: passRate,
    ...(isComparable ? { scoreWithout: score, delta: aggregate(own).score - score } : {}),
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
