import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { AgentEvalsError } from '../lib/errors.ts'
import { readChangedTexts } from '../judges/evidence/evidence-item.ts'
import type { JudgePart } from '../judges/judgement.ts'
import { NO_CHECK_SEEN } from '../checks/checks.ts'
import { combineRuns } from '../report/results/combine-runs.ts'
import { runsDue } from '../report/results/decide-outcome.ts'
import { copyEvidence, createCaseFolder, TURNS, turnFolder } from '../report/results/case-folder.ts'
import { readIndex } from '../report/results/kept-files.ts'
import { hashCase } from './plan/plan-case.ts'
import { judgeAndDecide } from './judge/judge-and-decide.ts'
import { NOTHING_SEEN, readBeforeTexts, type SeenWorkspace } from './assess/inspect-workspace.ts'
import { readStoredRun } from './replay/decide-replay.ts'
import { storedJudgeSource } from './judge/judge-recorder.ts'
import { partOfTurn } from '../formats/kinds.ts'
import { TEST_FORMAT } from '../formats/paths.ts'
import type { Redactor } from '../gateway/redact.ts'
import type { CaseResult, CaseTurn } from '../report/results/result.ts'
import type { RunSettings } from '../options/settings.ts'
import type { AgentRun } from '../transcript/transcript.ts'
import type { EvalCase, Suite } from '../formats/suite.ts'
import { writeJudgeExchanges } from '../report/results/write-evidence.ts'

/** A finished case whose runs are to be judged again. */
export interface StoredCase {
  readonly result: CaseResult
  /** The case as it is now; `null` when its file does not hold it any more. */
  readonly found: FoundCase | null
  /** `runFolder` is the one of the new judgement. */
  readonly settings: RunSettings
  readonly redactor: Redactor
  readonly signal: AbortSignal
}

interface FoundCase {
  readonly suite: Omit<Suite, 'cases'>
  readonly evalCase: EvalCase
}

/** Judges the runs of a case again, without running the agent. What no judge was asked about stays as it is. */
export async function rejudgeCase(request: StoredCase): Promise<CaseResult> {
  const { result } = request
  const { repeats } = result
  if (repeats === null) return rejudgeRun(request)
  const judged = await Promise.all(singleRuns(result).map((single) => rejudgeRun({ ...request, result: single })))
  const [first, ...rest] = judged
  if (first === undefined) return result
  const { runs, saved, threshold } = repeats
  const combined = combineRuns(first, rest, { runs, threshold, ...(saved === undefined ? {} : { saved }) })
  return saved === undefined ? combined : requireCertain(combined, saved)
}

// The runs that were left out could not change the verdict of before; they may change the one of now.
function requireCertain(result: CaseResult, saved: number): CaseResult {
  const { repeats } = result
  if (repeats === null || result.outcome === 'errored') return result
  const { runs: planned, completed, passed, threshold } = repeats
  if (runsDue({ planned, ended: planned - saved, completed, passed, threshold }) === 0) return result
  const message = `${saved} of ${planned} runs were not made (--runs auto), and they decide now. Run it again.`
  return { ...result, outcome: 'errored', reason: message, error: { code: 'missing-input', message } }
}

/** Whether a judge decided anything of a case that can be asked of a stored run: graders may need its workspace. */
export function isJudged({ format, graded, judge, runs }: CaseResult): boolean {
  const parts = [judge, ...runs.map(({ verdict }) => verdict?.judge ?? null)]
  return format !== TEST_FORMAT && graded === undefined && parts.some(hasAnswered)
}

function hasAnswered(part: JudgePart | null): boolean {
  return part !== null && part.result !== 'skipped'
}

function singleRuns(result: CaseResult): readonly CaseResult[] {
  const shared = { ...result, repeats: null }
  return result.runs.map(({ verdict, ...run }): CaseResult => {
    if (verdict === undefined) return { ...shared, runs: [run] }
    const { outcome, reason } = verdict
    const code = verdict.judge?.error?.code ?? result.error?.code ?? 'engine-failed'
    const error = outcome === 'errored' ? { code, message: reason ?? '' } : null
    return { ...shared, ...verdict, error, runs: [run], duration_seconds: run.duration_seconds }
  })
}

async function rejudgeRun(request: StoredCase): Promise<CaseResult> {
  const { result } = request
  // The agent was paid for when it ran.
  const { replaced: _, ...rest } = result
  const stored = { ...rest, runs: rest.runs.map(unpaid) }
  if (!isJudged(result)) return stored
  try {
    return await judgeAgain(request, stored)
  } catch (error) {
    if (!(error instanceof AgentEvalsError)) throw error
    const { code, message } = error
    return { ...stored, outcome: 'errored', reason: message, error: { code, message }, judge: null }
  }
}

function unpaid(run: CaseResult['runs'][number]): CaseResult['runs'][number] {
  return { ...run, cost_usd: 0 }
}

async function judgeAgain(request: StoredCase, stored: CaseResult): Promise<CaseResult> {
  const { settings, redactor, signal } = request
  const found = requireSame(request)
  const { suite, evalCase } = found
  const [summary] = stored.runs
  const from = join(settings.root, summary?.folder ?? '')
  const run = readStoredRun(stored, from)
  const source = await storedJudgeSource(stored, { suite, evalCase, settings, run: summary?.index ?? 1 })
  const folder = createCaseFolder(settings.root, settings.runFolder, stored, summary?.index ?? 1)
  copyEvidence(from, folder)

  const turns = (evalCase.turns ?? []).map((_, index) => index + 1)
  for (const turn of turns)
    if (hasChanged(run.turns?.[turn - 1]) && !existsSync(turnFolder(join(from, TURNS), turn)))
      throw new AgentEvalsError('missing-input', `What turn ${turn} wrote was not kept. Run the case again.`)
  const seenTurns = await Promise.all(
    turns.map((turn) => seenBefore(found, run.turns?.[turn - 1], turn, turnFolder(folder.turns, turn))),
  )
  const label = summary === undefined ? stored.id : `${stored.id} (run ${summary.index})`
  const {
    judged,
    decision,
    turns: decided,
  } = await judgeAndDecide(
    {
      label,
      suite,
      evalCase,
      run,
      checks: stored.checks,
      seen: await seenBefore(found, run, null, folder.artifacts),
      seenTurns,
      inputs: stored.hashes,
      source,
      settings,
      signal,
    },
    null,
  )
  writeJudgeExchanges(folder, judged.exchanges, redactor)
  const ofJudge = new Set(stored.judge?.notices)
  return {
    ...stored,
    ...decision,
    judge: judged.part,
    runs: stored.runs.map((one) => ({
      ...one,
      folder: folder.relativePath,
      ...(one.turns === undefined ? {} : { turns: one.turns.map((turn, index) => decideTurn(turn, decided[index])) }),
    })),
    notices: [...stored.notices.filter((notice) => !ofJudge.has(notice)), ...(judged.part?.notices ?? [])],
  }
}

// Its figures are those of its run, and its cost is 0: it was paid then.
function decideTurn(turn: CaseTurn, decided: CaseTurn = turn): CaseTurn {
  const { outcome, error, error_code } = decided
  return { ...turn, outcome, error, error_code, cost_usd: 0 }
}

// A run of another task, or one whose checks would have been others, is no run of this case.
function requireSame({ result, found }: StoredCase): FoundCase {
  if (found === null)
    throw new AgentEvalsError('no-match', `${result.file} no longer contains this case, so it cannot be judged.`)
  const before = new Map(result.asked?.map(({ role, hash }) => [role, hash]))
  const changed = hashCase(found.evalCase).find(
    ({ role, hash }) => role !== 'criteria' && role !== 'judge-prompt' && (before.get(role) ?? hash) !== hash,
  )
  const { arm, model } = result
  const ofResult = { ...(arm === undefined ? {} : { arm }), ...(model === undefined ? {} : { model }) }
  if (changed === undefined) return { ...found, evalCase: { ...found.evalCase, ...ofResult } }
  const what = changed.role === 'workspace' ? 'files' : changed.role
  throw new AgentEvalsError('stale', `The ${what} of ${result.name} changed since it ran. Run it again.`)
}

function hasChanged(run: AgentRun | undefined): boolean {
  return run !== undefined && run.files.created.length + run.files.modified.length > 0
}

// The workspace is gone; what the run wrote was kept.
async function seenBefore(
  found: FoundCase,
  run: AgentRun | undefined,
  turn: number | null,
  artifacts: string,
): Promise<SeenWorkspace> {
  if (run === undefined) return NOTHING_SEEN
  const evalCase = partOfTurn(found.evalCase, turn)
  const kept = readIndex(artifacts).filter(({ when }) => when === 'after')
  const names = new Map(kept.map(({ path, name }) => [path, name]))
  const files = await readChangedTexts(artifacts, run.files, (path) => names.get(path) ?? null)
  const originals =
    evalCase.criteria?.statements === undefined
      ? []
      : await readBeforeTexts({ suite: found.suite, evalCase }, run.files)
  return { files: [...files, ...originals], checks: NO_CHECK_SEEN }
}
