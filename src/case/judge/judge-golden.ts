import { AgentEvalsError } from '../../errors.ts'
import { chooseJudge, type ChosenJudge } from '../../judges/choose.ts'
import { judgeByRubric } from '../../judges/rubric/judge-rubric.ts'
import { erroredJudge, SCENARIO } from '../../judges/judgement.ts'
import { listJudges } from '../../judges/rubric/rubric-judges.ts'
import { hashRubric, recordScores } from '../../judges/rubric/rubric-recorded.ts'
import { findProvider, liveCredential, pickSource, type CaseJudgement, type JudgeSupply } from './judge-case.ts'
import { addSpending, spendingOfLease } from '../../results/cost/spending.ts'
import { sumCost } from '../../results/cost/sums.ts'
import { missingFor, noJudge } from './require-judge.ts'
import { sumOf } from '../../lists.ts'
import type { JudgeExchange } from '../../judges/ask.ts'
import type { JudgePart } from '../../judges/judgement.ts'
import type { JudgeSource } from '../../judges/judge-lease.ts'
import type { RubricQuestion } from '../../judges/rubric/rubric-question.ts'
import type { RunSettings } from '../../settings.ts'
import type { JudgeSettings } from '../../suites/golden.ts'

/** A run of a golden test, to be scored. */
export interface GoldenToJudge {
  /** Shown while waiting and in errors. */
  readonly label: string
  readonly question: RubricQuestion & { readonly judge: JudgeSettings }
  /** `[provider:]model` that is asked for whatever judge.md says; `null`: by judge.md. */
  readonly judge: string | null
  readonly source: JudgeSupply
  readonly settings: RunSettings
  readonly signal: AbortSignal
}

/**
 * Has a run scored by the first judge that can be reached. What goes wrong is the judge's result too: what the checks
 * found stays true.
 */
export async function judgeGolden(request: GoldenToJudge): Promise<CaseJudgement> {
  const empty = { exchanges: [], toRecord: null }
  try {
    return await askInTurn(request, judgesFor(request))
  } catch (error) {
    if (request.signal.aborted) return { part: erroredJudge('cancelled', 'The judge was cancelled.'), ...empty }
    if (error instanceof AgentEvalsError) return { part: erroredJudge(error.code, error.message), ...empty }
    throw error
  }
}

function judgesFor({ judge, question, source }: GoldenToJudge): readonly ChosenJudge[] {
  const credential = liveCredential(source)
  if (judge !== null) return [chooseJudge(judge, question.run, credential)]
  const named = listJudges(question.judge, question.run, credential)
  if (named.length > 0) return named
  throw new AgentEvalsError(
    'no-judge',
    `${question.judge.file} names only the agent's own model, which may not judge itself. Add a judge to cross_family, or set one with --judge.`,
  )
}

async function askInTurn(request: GoldenToJudge, judges: readonly ChosenJudge[]): Promise<CaseJudgement> {
  const { label, question, settings, signal } = request
  const failed: Attempt[] = []
  const exchanges: JudgeExchange[] = []
  for (const { choice, source, missing } of candidatesOf(request, judges)) {
    if (missing !== null) {
      failed.push({ choice, reason: `The judge ${choice.model} could not be asked: it ${missing}.`, part: null })
      continue
    }
    const usedUp = sumOf(failed, ({ part }) => part?.requests ?? 0)
    const provider = await findProvider(choice, settings, source)
    const { controlSocket } = settings
    const scored = await judgeByRubric({ label, question, choice, provider, source, controlSocket, signal, usedUp })
    exchanges.push(...scored.exchanges)
    if (scored.unavailable) {
      failed.push({ choice, reason: scored.part.reason, part: scored.part })
      continue
    }
    const isNew = source.kind !== 'recorded' && scored.answer !== null && scored.part.result !== 'errored'
    return {
      part: withFailed(scored.part, failed, choice),
      exchanges,
      toRecord: isNew ? recordScores(hashRubric(question, choice), scored.answer, scored.part.model) : null,
    }
  }
  return { part: describeNoneLeft(failed), exchanges, toRecord: null }
}

/** A judge that gave no scores. */
interface Attempt {
  readonly choice: ChosenJudge
  readonly reason: string
  /** `null` for one that was not asked. */
  readonly part: JudgePart | null
}

interface Candidate {
  readonly choice: ChosenJudge
  readonly source: JudgeSource
  /** Why it cannot be asked; `null` when it can. */
  readonly missing: string | null
}

// A recording is of the judge that gave it, whichever could be asked today.
function candidatesOf(
  { source: supply, question }: GoldenToJudge,
  judges: readonly ChosenJudge[],
): readonly Candidate[] {
  if (supply.kind === 'recording') {
    const stored = judges.find((choice) => supply.find(hashRubric(question, choice)) !== null)
    if (stored !== undefined)
      return [{ choice: stored, source: pickSource(supply, hashRubric(question, stored)), missing: null }]
  }
  const all = judges.map((choice): Candidate => {
    const source = pickSource(supply, hashRubric(question, choice))
    return { choice, source, missing: source.kind === 'live' ? missingFor(choice) : null }
  })
  if (all.every(({ missing }) => missing !== null)) throw noJudge(judges)
  return all
}

function withFailed(part: JudgePart, failed: readonly Attempt[], by: ChosenJudge): JudgePart {
  const name = part.model === null || part.model === SCENARIO ? by.model : part.model
  const notices = failed.map(
    ({ choice, reason }) => `The judge ${choice.model} could not be asked, so ${name} judged: ${reason}`,
  )
  return { ...part, ...spendingOfAll([...failed, { part }]), notices: [...notices, ...part.notices] }
}

function describeNoneLeft(failed: readonly Attempt[]): JudgePart {
  const last = failed.findLast(({ part }) => part !== null)?.part ?? null
  if (last === null) return erroredJudge('no-judge', 'No judge was asked.')
  const message = failed.map(({ reason }) => reason).join('\n')
  const error = { code: last.error?.code ?? 'judge-failed', message }
  return { ...last, ...spendingOfAll(failed), reason: message, error }
}

// Each judge that was asked may have cost something, also the ones that gave no scores.
function spendingOfAll(attempts: readonly Pick<Attempt, 'part'>[]): Pick<JudgePart, 'costUsd' | 'requests' | 'usage'> {
  const parts = attempts.flatMap(({ part }) => part ?? [])
  const { usage } = addSpending(parts.map(spendingOfLease))
  const requests = sumOf(parts, (part) => part.requests)
  return { requests, usage, costUsd: sumCost(parts.map(({ costUsd }) => costUsd)) }
}
