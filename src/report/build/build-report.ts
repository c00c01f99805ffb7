import type { JudgedStatement } from '../../judges/judgement.ts'
import { hundredths } from '../../lib/rates.ts'
import { buildAgainst } from '../compare/against.ts'
import type { FoldedReport } from '../fold/fold.ts'
import type { Report, ReportInput, ReportSummary } from '../report.ts'
import type { Provenance } from '../results/provenance.ts'
import { countOutcomes, type CaseResult } from '../results/result.ts'
import { buildCase, providerOf, sumSpending } from './build-case.ts'
import { buildLift, compareExpectations } from './build-lift.ts'
import { buildConfusionTables } from './trigger-matrix.ts'

/** Builds the report of one package and engine. Secrets leave it when it is written. */
export function buildReport(folded: FoldedReport, provenance: Provenance): Report {
  const { planned, results } = folded
  const inputs = inputTable()
  const cases = compareExpectations(results.map((result) => buildCase(result, inputs.keyOf)))
  const lift = buildLift(cases)
  const ran = results.filter(hasRun)
  const engine = shared(results.map((result) => result.agent.runtime))
  const engineVersion = shared(ran.map((result) => result.agent.runtime_version))
  const model = shared(ran.map((result) => result.agent.model))
  const judges = results.flatMap((result) =>
    result.judge === null || result.judge.result === 'skipped' ? [] : [result.judge],
  )
  // A judge that could not be asked has only the name by which it was asked.
  const answered = judges.filter(({ result }) => result !== 'errored')
  const named = answered.length > 0 ? answered : judges
  const judgeModel = shared(named.map((judge) => judge.model))
  const tables = buildConfusionTables(results.filter(({ arm }) => arm === undefined))
  const timestamp = folded.startedAt.replace(/\.\d+Z$/, 'Z')

  const report: Report = {
    version: 1,
    // The end of the run folder's name tells runs of one second apart.
    id: ['eval-run', timestamp.replaceAll(':', '-'), ...(/[0-9a-f]{6}$/.exec(folded.run) ?? [])].join('-'),
    timestamp,
    duration_seconds: Math.round(folded.durationMs) / 1000,
    status: folded.status,
    source: sourceOf(results),
    agent_evals_version: provenance.agentEvalsVersion,
    vitest_version: provenance.vitestVersion,
    price_table: provenance.priceTable,
    plan: folded.plan,
    git: provenance.git,
    config: { engine, engine_version: engineVersion, judge: planned.judge ?? judgeModel, timeout: planned.timeout },
    agent: {
      runtime: engine,
      runtime_version: engineVersion,
      model,
      model_provider: providerOf(model),
      session_id: shared(ran.map((result) => result.agent.session_id)),
    },
    judge: {
      model: judgeModel,
      model_provider: shared(named.map((judge) => providerOf(judge.model, judge.provider))),
      claims: results.flatMap(statementsOf).filter(isKnownClaim).length,
    },
    environment: {
      os: provenance.os,
      arch: provenance.arch,
      aam_version: null,
      node_version: provenance.nodeVersion,
      python_version: provenance.pythonVersion,
    },
    package: { name: planned.packageName, version: planned.packageVersion },
    summary: summarize(results),
    cases,
    inputs: inputs.table,
    ...(lift.length === 0 ? {} : { lift }),
    ...(tables.length === 0 ? {} : { triggers: tables }),
    notices: folded.notices,
  }
  return planned.against === undefined ? report : { ...report, against: buildAgainst(report, planned.against) }
}

interface InputTable {
  readonly table: Readonly<Record<string, ReportInput>>
  /** Key of an input in the table, which takes it in. */
  readonly keyOf: (input: ReportInput) => string
}

// Most cases of a package depend on the same files.
function inputTable(): InputTable {
  const table: Record<string, ReportInput> = {}
  const keys = new Map<string, string>()
  const keyOf = (input: ReportInput): string => {
    const whole = [input.role, input.base, input.path, input.hash].join('\0')
    const key = keys.get(whole) ?? String(keys.size + 1)
    keys.set(whole, key)
    table[key] ??= input
    return key
  }
  return { table, keyOf }
}

function statementsOf({ judge, runs }: CaseResult): readonly JudgedStatement[] {
  const ofRuns = runs.flatMap(({ verdict }) => verdict?.judge ?? [])
  const parts = ofRuns.length > 0 || judge === null ? ofRuns : [judge]
  return parts.flatMap(({ statements }) => statements)
}

// Where nobody said what statements are about, a person wrote the verdicts.
function isKnownClaim({ rests, kind }: JudgedStatement): boolean {
  return rests === 'claim' && kind !== undefined
}

function summarize(results: readonly CaseResult[]): ReportSummary {
  const counted = results.filter(({ arm }) => arm === undefined)
  const { decided, ...counts } = countOutcomes(counted)
  return {
    total: counted.length,
    ...counts,
    pass_rate: decided === 0 ? null : hundredths(counts.passed / decided),
    ...sumSpending(results),
  }
}

function hasRun({ runs }: CaseResult): boolean {
  return runs.length > 0
}

function sourceOf(results: readonly CaseResult[]): Report['source'] {
  const sources = new Set(results.map((result) => result.source).filter((source) => source !== null))
  return sources.size > 1 ? 'mixed' : ([...sources][0] ?? null)
}

// Cases that do not know the value have no say.
function shared(values: readonly (string | null)[]): string | null {
  const distinct = new Set(values.filter((value) => value !== null))
  return distinct.size === 1 ? ([...distinct][0] ?? null) : null
}
