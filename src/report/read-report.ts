import { z } from 'zod'
import { AgentEvalsError, messageOf } from '../errors.ts'
import { sum } from '../lists.ts'
import { parseReportJson } from './parse-report-json.ts'
import { OUTCOMES } from './verdicts.ts'
import type { Outcome } from '../results/result.ts'

/** A report as far as two can be compared. What a report does not say is `null`: the AAM text's own have few fields. */
export interface ComparedReport {
  readonly id: string | null
  readonly timestamp: string | null
  readonly status: string | null
  readonly package: { readonly name: string | null; readonly version: string | null }
  /** Versions and places by the words they are shown with. */
  readonly facts: Readonly<Record<ReportFact, string | null>>
  readonly cases: readonly ComparedCase[]
  readonly lift?: readonly ComparedLift[]
  /** The largest difference of pass rates that is chance, from 0 to 1. */
  readonly noiseFloor?: number | null
}

/** What a report says once, of all its cases. */
export type ReportFact = 'agent-evals' | 'commit' | 'node' | 'platform' | 'python' | 'timeout' | 'vitest'

/** One case of a report, with what the report says of all where it says nothing itself. */
export interface ComparedCase {
  readonly id: string | null
  readonly name: string
  readonly target: string | null
  readonly outcome: Outcome
  readonly error: string | null
  readonly engine: string | null
  readonly engineVersion: string | null
  readonly model: string | null
  /** Model of the judge; `null` when it was not asked. */
  readonly judge: string | null
  readonly source: string | null
  readonly sandbox: string | null
  readonly checkKinds: readonly string[]
  readonly hashes: readonly { readonly path: string; readonly role: string; readonly hash: string }[]
  /** Hash of its agent's vault, as far as a person compares it. */
  readonly vault?: string | null
  readonly durationSeconds: number | null
  /** Agent and judge together, US dollars; `null` when a part is unknown. */
  readonly costUsd: number | null
  /** Its known parts. */
  readonly knownCostUsd?: number
  /** Agent and judge together. */
  readonly tokens: number | null
  /** What was left out of its session for comparison. */
  readonly arm?: string | null
  /** What several runs have shown. */
  readonly repeats?: ComparedRepeats | null
  /** What the runs of a trigger query have shown. */
  readonly trigger?: ComparedTrigger | null
  /** How long each of its runs took, in seconds. */
  readonly runSeconds?: readonly number[]
}

/** The runs of one case. */
export interface ComparedRepeats {
  readonly passed: number
  readonly completed: number
}

/** The runs of one trigger query. */
export interface ComparedTrigger {
  readonly shouldTrigger: boolean
  readonly fired: number
  readonly completed: number
}

/** What a skill adds, as a report says it. */
export interface ComparedLift {
  readonly target: string
  readonly cases: number
  /** From -1 to 1. */
  readonly difference: number | null
  readonly p_value: number | null
}

/**
 * Reads the text of a report, of this program or of another that keeps to the AAM text.
 *
 * @throws {AgentEvalsError} `invalid-report`, naming the file.
 */
export function parseReport(text: string, file: string): ComparedReport {
  const { success, data, error } = reportSchema.safeParse(parseJson(text, file))
  if (success) return toCompared(data)
  const [issue] = error.issues
  throw invalid(file, `${issue?.path.join('.') || 'the file'}: ${issue?.message ?? 'not valid'}`)
}

const text = z.string().nullish()
const number = z.number().nullish()

const caseSchema = z.looseObject({
  id: text,
  name: z.string(),
  target: text,
  verdict: z.enum(['PASS', 'FAIL', 'ERROR', 'SKIP']),
  outcome: z.enum(['passed', 'failed', 'errored', 'skipped']).nullish(),
  duration_seconds: number,
  deterministic_checks: z.record(z.string(), z.unknown()).nullish(),
  judge_verdict: z.looseObject({ model: text }).nullish(),
  error: text,
  skip_reason: text,
  engine: text,
  agent: z.looseObject({ runtime_version: text, model: text }).nullish(),
  source: text,
  sandbox: z.looseObject({ enforced: text }).nullish(),
  hashes: z.array(z.looseObject({ path: z.string(), role: z.string(), hash: z.string() })).nullish(),
  vault_hash: text,
  runs: z.array(z.looseObject({ duration_seconds: number })).nullish(),
  arm: text,
  repeats: z.looseObject({ passed: z.number(), completed: z.number() }).nullish(),
  trigger: z.looseObject({ should_trigger: z.boolean(), fired: z.number(), completed: z.number() }).nullish(),
  cost_usd: number,
  cost: z.looseObject({ known_usd: number }).nullish(),
  usage: z.record(z.string(), z.number()).nullish(),
})

const reportSchema = z.looseObject({
  version: z.literal(1),
  id: text,
  timestamp: text,
  status: text,
  source: text,
  agent_evals_version: text,
  vitest_version: text,
  git: z.looseObject({ commit: z.string(), dirty: z.boolean() }).nullish(),
  config: z.looseObject({ timeout: number }).nullish(),
  agent: z.looseObject({ runtime: text, runtime_version: text, model: text }).nullish(),
  environment: z.looseObject({ os: text, arch: text, node_version: text, python_version: text }).nullish(),
  package: z.looseObject({ name: text, version: text }).nullish(),
  cases: z.array(caseSchema),
  lift: z
    .array(z.looseObject({ target: z.string(), cases: z.number(), difference: number, p_value: number }))
    .nullish(),
  noise: z.looseObject({ floor: z.number() }).nullish(),
})

type WrittenReport = z.infer<typeof reportSchema>

function toCompared(report: WrittenReport): ComparedReport {
  const { git, environment } = report
  return {
    id: report.id ?? null,
    timestamp: report.timestamp ?? null,
    status: report.status ?? null,
    package: { name: report.package?.name ?? null, version: report.package?.version ?? null },
    facts: {
      'agent-evals': report.agent_evals_version ?? null,
      commit:
        git === null || git === undefined ? null : `${git.commit.slice(0, 10)}${git.dirty ? ' with changes' : ''}`,
      node: environment?.node_version ?? null,
      platform: [environment?.os, environment?.arch].filter((part) => typeof part === 'string').join(' ') || null,
      python: environment?.python_version ?? null,
      timeout: typeof report.config?.timeout === 'number' ? `${report.config.timeout} s` : null,
      vitest: report.vitest_version ?? null,
    },
    cases: report.cases.map((entry) => toCase(entry, report)),
    lift: (report.lift ?? []).map(({ target, cases, difference, p_value: p }) => {
      return { target, cases, difference: difference ?? null, p_value: p ?? null }
    }),
    noiseFloor: report.noise?.floor ?? null,
  }
}

function toCase(entry: z.infer<typeof caseSchema>, { agent, source }: WrittenReport): ComparedCase {
  // A case that never ran answers for nothing of what the report says of all.
  const ran = entry.runs === null || entry.runs === undefined ? entry.verdict !== 'SKIP' : entry.runs.length > 0
  const shared = ran ? agent : null
  return {
    id: entry.id ?? null,
    name: entry.name,
    target: entry.target ?? null,
    outcome: entry.outcome ?? OUTCOMES[entry.verdict],
    error: entry.error ?? entry.skip_reason ?? null,
    engine: entry.engine ?? shared?.runtime ?? null,
    engineVersion: entry.agent?.runtime_version ?? shared?.runtime_version ?? null,
    model: entry.agent?.model ?? shared?.model ?? null,
    judge: entry.judge_verdict?.model ?? null,
    source: entry.source ?? (ran ? source : null) ?? null,
    sandbox: entry.sandbox?.enforced ?? null,
    checkKinds: Object.keys(entry.deterministic_checks ?? {}).toSorted(),
    hashes: entry.hashes ?? [],
    vault: entry.vault_hash?.slice(0, 12) ?? null,
    durationSeconds: entry.duration_seconds ?? null,
    costUsd: entry.cost_usd ?? null,
    knownCostUsd: entry.cost_usd ?? entry.cost?.known_usd ?? 0,
    tokens: entry.usage == null ? null : sum(Object.values(entry.usage)),
    arm: entry.arm ?? null,
    repeats: entry.repeats == null ? null : { passed: entry.repeats.passed, completed: entry.repeats.completed },
    trigger: triggerOf(entry),
    runSeconds: (entry.runs ?? []).flatMap(({ duration_seconds: seconds }) => seconds ?? []),
  }
}

function triggerOf({ trigger }: z.infer<typeof caseSchema>): ComparedTrigger | null {
  if (trigger == null) return null
  return { shouldTrigger: trigger.should_trigger, fired: trigger.fired, completed: trigger.completed }
}

function parseJson(source: string, file: string): unknown {
  try {
    return parseReportJson(source)
  } catch (error) {
    throw invalid(file, messageOf(error))
  }
}

function invalid(file: string, why: string): AgentEvalsError {
  return new AgentEvalsError('invalid-report', `${file} is not an eval report: ${why}.`)
}
