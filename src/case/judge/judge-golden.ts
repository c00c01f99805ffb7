import { AgentEvalsError } from '../../errors.ts'
import { chooseJudge, type ChosenJudge } from '../../judges/choose.ts'
import { erroredJudge, SCENARIO } from '../../judges/judgement.ts'
import { byRubric, type RubricQuestion } from '../../judges/methods/rubric.ts'
import { hashJudge } from '../../judges/recorded.ts'
import { listJudges } from '../../judges/rubric-judges.ts'
import { guarded, judgeBy, liveCredential, type CaseJudgement, type JudgeContext } from './judge-case.ts'
import { addSpending, spendingOfLease } from '../../results/cost/spending.ts'
import { sumCost } from '../../results/cost/sums.ts'
import { missingFor, noJudge } from './require-judge.ts'
import { sumOf } from '../../lists.ts'
import type { JudgeExchange } from '../../judges/ask.ts'
import type { JudgePart } from '../../judges/judgement.ts'
import type { JudgeSettings } from '../../suites/golden.ts'

/** A run of a golden test, to be scored. */
export interface GoldenToJudge extends JudgeContext {
  readonly question: RubricQuestion & { readonly judge: JudgeSettings }
  /** `[provider:]model` that is asked for whatever judge.md says; `null`: by judge.md. */
  readonly judge: string | null
}

/** Has a run scored by the first judge that can be reached. */
export function judgeGolden(request: GoldenToJudge): Promise<CaseJudgement> {
  return guarded(request.signal, () => askInTurn(request, judgesFor(request)))
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
  const method = byRubric(request.question)
  const failed: Attempt[] = []
  const exchanges: JudgeExchange[] = []
  for (const choice of candidatesOf(request, judges)) {
    const missing = missingOf(request, choice)
    if (missing !== null) {
      failed.push({ choice, reason: `The judge ${choice.model} could not be asked: it ${missing}.`, part: null })
      continue
    }
    const usedUp = sumOf(failed, ({ part }) => part?.requests ?? 0)
    const { part, toRecord, ...scored } = await judgeBy(method, choice, { ...request, usedUp })
    exchanges.push(...scored.exchanges)
    if (!scored.isUnreachable) return { part: withFailed(part, failed, choice), exchanges, toRecord }
    failed.push({ choice, reason: part.reason, part })
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

// A recording is of the judge that gave it, whichever could be asked today.
function candidatesOf(request: GoldenToJudge, judges: readonly ChosenJudge[]): readonly ChosenJudge[] {
  const stored = judges.find((choice) => isStored(request, choice))
  if (stored !== undefined) return [stored]
  if (judges.every((choice) => missingOf(request, choice) !== null)) throw noJudge(judges)
  return judges
}

function isStored({ source, question }: GoldenToJudge, choice: ChosenJudge): boolean {
  return source.kind === 'recording' && source.find(hashJudge(byRubric(question), choice)) !== null
}

// Why a judge cannot be asked; `null` when it can.
function missingOf(request: GoldenToJudge, choice: ChosenJudge): string | null {
  const { source } = request
  const upstream = source.kind === 'recording' ? source.upstream : source
  return upstream?.kind === 'live' && !isStored(request, choice) ? missingFor(choice) : null
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
