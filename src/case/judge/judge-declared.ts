import type { CheckResult } from '../../checks/check.ts'
import { kindOf } from '../../formats/kinds.ts'
import type { CasePart, GoldenTest, JudgeSettings, Suite } from '../../formats/suite.ts'
import { addUsage, sumCost } from '../../gateway/budget/spending.ts'
import type { JudgeExchange } from '../../judges/ask.ts'
import { chooseJudge, listJudges, type ChosenJudge } from '../../judges/choose.ts'
import { hashJudge } from '../../judges/judge-lease.ts'
import {
  SCENARIO,
  couldNotBeAsked,
  describePassedOver,
  erroredJudge,
  skippedJudge,
  type JudgePart,
} from '../../judges/judgement.ts'
import { byRubric } from '../../judges/methods/rubric.ts'
import type { RubricQuestion } from '../../judges/methods/rubric-score.ts'
import { splitCriteria } from '../../formats/criteria.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import { sumOf } from '../../lib/lists.ts'
import { nearest } from '../../options/option.ts'
import type { RecordedJudge } from '../../recordings/recording.ts'
import type { Input } from '../../recordings/input.ts'
import { whyNotJudged } from '../../report/results/decide-outcome.ts'
import { isPackageInput } from '../../session/inputs/collect.ts'
import type { AgentRun } from '../../transcript/transcript.ts'
import { fixturesOf } from '../assess/findings.ts'
import type { SeenWorkspace } from '../assess/inspect-workspace.ts'
import {
  guarded,
  judgeBy,
  judgeCase,
  liveCredential,
  type CaseJudgement,
  type JudgeCase,
  type JudgeContext,
} from './judge-case.ts'
import { missingFor, noJudge } from './require-judge.ts'

/** A finished run of a case, with what its checks found. */
export interface DeclaredJudge extends Pick<JudgeCase, 'label' | 'settings' | 'signal' | 'source' | 'usedUp'> {
  readonly suite: Pick<Suite, 'config'>
  readonly evalCase: CasePart<'criteria' | 'files' | 'prompt' | 'workspaceFiles'>
  readonly run: AgentRun
  readonly checks: readonly CheckResult[]
  readonly seen: SeenWorkspace
  readonly inputs: readonly Pick<Input, 'path' | 'role'>[]
}

/** What came of a case's criteria; `part` is `null` when it has none. */
export interface DeclaredJudgement {
  readonly part: JudgePart | null
  readonly exchanges: readonly JudgeExchange[]
  /** New answers for the recording; `null` when there is nothing new that is worth keeping. */
  readonly toRecord: RecordedJudge | null
}

/** Asks the judge that a case declares, unless its checks or its empty output say enough. */
export async function judgeDeclared(request: DeclaredJudge): Promise<DeclaredJudgement> {
  const { evalCase, run, checks, seen, settings, suite } = request
  const { criteria } = evalCase
  if (criteria === null) return { part: null, ...NOTHING_ASKED }
  const golden = kindOf(evalCase).golden(evalCase)
  if (golden !== null) return judgeByAgent(request, golden)
  const statements = criteria.statements?.map(({ text }) => text) ?? splitCriteria(criteria.text)
  const reason = whyNotJudged(checks, run, settings)
  if (reason !== null) return { part: skippedJudge(reason), ...NOTHING_ASKED }

  return judgeCase({
    ...request,
    question: {
      criteria: criteria.text,
      statements,
      expectedOutput: criteria.context?.join('\n\n'),
      prompt: evalCase.prompt,
      run,
      files: seen.files,
      clues: checks.filter(({ outcome }) => outcome === 'failed').map(({ message }) => message),
      ...(criteria.statements === undefined ? {} : { fixtures: fixturesOf(evalCase).map(({ to }) => to) }),
    },
    judge: nearest<string | null>(settings.judge, suite.config.judge, null),
    votes: settings.votes,
  })
}

async function judgeByAgent(request: DeclaredJudge, golden: GoldenTest): Promise<DeclaredJudgement> {
  const { run, checks, settings, inputs, seen } = request
  const reason = whyNotJudged(checks, run, settings)
  if (reason !== null) return { part: skippedJudge(reason), ...NOTHING_ASKED }
  const vault = inputs.filter(isPackageInput).map(({ path }) => path)
  return judgeGolden({
    ...request,
    question: { rubric: golden.agent.rubric, judge: golden.agent.judge, golden, run, vault, files: seen.files },
    judge: nearest<string | null>(settings.judge, null, null),
  })
}

const NOTHING_ASKED = { exchanges: [], toRecord: null }

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
      failed.push({ choice, reason: `${couldNotBeAsked(choice.model)}: it ${missing}.`, part: null })
      continue
    }
    const usedUp = sumOf(failed, ({ part }) => part?.requests ?? 0)
    const { part, toRecord, ...scored } = await judgeBy(method, choice, { ...request, usedUp, givesUp: true })
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
  const notices = failed.map(({ choice: { model }, reason }) => describePassedOver(model, name, reason))
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
  const usage = addUsage(parts.map((part) => part.usage))
  const requests = sumOf(parts, (part) => part.requests)
  return { requests, usage, costUsd: sumCost(parts.map(({ costUsd }) => costUsd)) }
}
