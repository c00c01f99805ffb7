import { mergeJudgements, type AskedJudge } from '../judge/merge-judgements.ts'
import { triggerNotices } from '../../report/build/describe-trigger.ts'
import { factsOf, summarizeRun } from '../../report/build/summarize-run.ts'
import { emptyResult, toHash } from './build-result.ts'
import { hashCase } from '../plan/plan-case.ts'
import type { CheckResult } from '../../checks/check.ts'
import type { Input } from '../../recordings/input.ts'
import type { Decision } from '../../report/results/decide-outcome.ts'
import type {
  AskedHash,
  CaseResult,
  CaseRun,
  PlannedCase,
  ResultSource,
  CaseTrigger,
} from '../../report/results/result.ts'
import type { RunDecision } from '../../transcript/select.ts'
import type { EvalCase } from '../../formats/suite.ts'
import type { AgentRun } from '../../transcript/transcript.ts'

/** One run of a test in TypeScript. */
export interface TestRun {
  /** From 1. */
  readonly index: number
  readonly evalCase: EvalCase
  readonly run: AgentRun
  readonly source: ResultSource
  readonly recorded: CaseResult['recorded']
  readonly inputs: readonly Input[]
  readonly notices: readonly string[]
  /** Folder of the evidence, relative to the Vitest root. */
  readonly folder: string
  /** What decided a run of a trigger question; absent for every other run. */
  readonly decided?: RunDecision
  /** Hash of everything that it depends on, where it was kept whole. */
  readonly key?: string
  /** Name of the run of Vitest that it was taken over from. */
  readonly reusedFrom?: string
}

/** A prompt of which a test asked whether it makes the agent use a skill. */
export interface AskedTrigger {
  readonly part: CaseTrigger
  /** What `agent.trigger` returned: a matcher finds its question by it. */
  readonly outcome: object
  /** What the last matcher expected; `null` when none looked at it. */
  expected: Pick<CaseTrigger, 'should_trigger' | 'threshold'> | null
}

/** How a test ended: as Vitest says, with what could not be completed kept apart. */
export type TestEnding = Decision | { readonly outcome: 'skipped'; readonly reason: string; readonly error: null }

/** Everything that a finished test leaves. */
export interface FinishedTest {
  readonly planned: PlannedCase
  readonly startedAt: Date
  readonly ending: TestEnding
  /** Hash of its code; `null` when it was not noted. */
  readonly code: string | null
  readonly runs: readonly TestRun[]
  /** What its matchers found. */
  readonly checks: readonly CheckResult[]
  readonly judges: readonly AskedJudge[]
  readonly triggers: readonly AskedTrigger[]
}

/** The result of a test in TypeScript: one case, however many runs it made. */
export function buildTestResult(test: FinishedTest): CaseResult {
  const { planned, startedAt, ending, code, runs, checks, judges, triggers } = test
  const [first] = runs.toSorted((a, b) => a.index - b.index)
  const judge = mergeJudgements(judges)
  const result = { ...emptyResult(planned, startedAt), ...ending, checks, judge }
  if (first === undefined) return { ...result, asked: askedBy(code, first) }
  const { run, recorded, evalCase } = first
  return {
    ...result,
    target: evalCase.target === null ? null : `${evalCase.target.kind}:${evalCase.target.name}`,
    source: SOURCES.find((source) => runs.some((one) => one.source === source)) ?? null,
    recorded,
    ...factsOf(run),
    runs: runs.toSorted((a, b) => a.index - b.index).map(summarize),
    trigger: onlyTrigger(triggers),
    hashes: hashesOf(runs),
    asked: askedBy(code, first),
    notices: [
      ...new Set([
        ...runs.flatMap(({ notices }) => notices),
        ...(judge?.notices ?? []),
        ...triggers.flatMap(({ part }) => triggerNotices(part)),
        ...partly(runs),
      ]),
    ],
    reused_from: runs.every(({ reusedFrom }) => reusedFrom !== undefined) ? (first.reusedFrom ?? null) : null,
  }
}

// A case of the report holds one question; the checks and notices of a test name all of its questions.
function onlyTrigger(triggers: readonly AskedTrigger[]): CaseTrigger | null {
  const [only, ...others] = triggers
  return only === undefined || only.expected === null || others.length > 0 ? null : { ...only.part, ...only.expected }
}

function summarize({ run, index, folder, key, reusedFrom, decided }: TestRun): CaseRun {
  const kept = { ...(key === undefined ? {} : { key }), ...(reusedFrom === undefined ? {} : { reusedFrom }) }
  const summary = summarizeRun(run, index, folder, { decided })
  return { ...summary, internal: { ...summary.internal, ...kept } }
}

function partly(runs: readonly TestRun[]): readonly string[] {
  const old = runs.filter(({ reusedFrom }) => reusedFrom !== undefined).length
  return old === 0 || old === runs.length
    ? []
    : [`Of its ${runs.length} runs ${old} were reused from an earlier run; the others ran again.`]
}

// The one that says most about the model and costs most represents all.
const SOURCES: readonly ResultSource[] = ['live', 'record', 'replay', 'scenario']

function hashesOf(runs: readonly TestRun[]): CaseResult['hashes'] {
  const once = new Map(
    runs.flatMap(({ inputs }) => inputs.map((input) => [`${input.role}\0${input.path}`, toHash(input)] as const)),
  )
  return [...once.values()]
}

// Checks and criteria are in the code: what was found of them depends on how far a test came.
function askedBy(code: string | null, first: TestRun | undefined): readonly AskedHash[] {
  const ofCode = code === null ? [] : [{ role: 'code' as const, hash: code }]
  if (first === undefined) return ofCode
  const { prompt, files, workspaceFiles } = first.evalCase
  const hashes = hashCase({ kind: 'task', prompt, files, workspaceFiles, checks: [], criteria: null })
  return [...ofCode, ...hashes.filter(({ role }) => role !== 'checks')]
}
