import { AgentEvalsError } from '../../lib/errors.ts'
import { subscriptionCredential } from '../../gateway/credentials.ts'
import { requirePrice } from '../prepare/resolve-engine.ts'
import { chooseJudge, listJudges, type ChosenJudge } from '../../judges/choose.ts'
import { nearest, type RunSettings } from '../../options/settings.ts'
import { NO_CREDENTIAL, judgeProviders } from '../../judges/providers/registry.ts'
import { findProvider, kindOf } from './judge-case.ts'
import type { JudgeShare, WireName } from '../../gateway/leases/lease.ts'
import { kindOf as factsOf } from '../../formats/kinds.ts'
import type { CasePart, Suite } from '../../formats/suite.ts'

/** A case whose agent is about to be asked live. */
export interface CaseToJudge {
  readonly suite: Pick<Suite, 'agent' | 'config'>
  readonly evalCase: CasePart<'criteria'>
  readonly settings: RunSettings
  readonly engineName: string
  /** Model that the agent has to use; `null` leaves it to the engine. */
  readonly model: string | null
}

/** The judge of a case, whom its agent must leave enough of the budget. */
export interface ExpectedJudge extends Pick<JudgeShare, 'model' | 'requests'> {
  /** `null` for that of the agent. */
  readonly wire: WireName | null
}

/**
 * Looks for the judge of a case before its agent costs anything. `null` where none will be asked.
 *
 * @throws {AgentEvalsError} `no-judge` where no judge can be asked; `engine-not-found` for the program of one;
 * `unknown-price` where no budget can stop it.
 */
export async function requireJudge(request: CaseToJudge): Promise<ExpectedJudge | null> {
  const plan = judgesOf(request)
  if (plan === null) return null
  const { judges, requests } = plan
  // Which model the engine takes by itself, only its run can show.
  if (judges === null) return { model: null, wire: null, requests }
  // A list without a judge has an error of its own, which names judge.md.
  if (judges.length === 0) return null
  const open = judges.find((judge) => missingFor(judge) === null)
  if (open === undefined) throw noJudge(judges)
  return requireReachable(open, request.settings, requests)
}

/** Who judges a case, before it has run. */
export interface ExpectedJudges {
  /** In the order in which they are tried; `null` for the model of the agent, which only its run shows. */
  readonly judges: readonly ChosenJudge[] | null
  readonly requests: number
}

/**
 * Chooses the judges of a case before it runs; `null` where none will be asked.
 *
 * @throws {AgentEvalsError} `invalid-options` for a judge that does not exist.
 */
export function judgesOf({ suite, evalCase, settings, engineName, model }: CaseToJudge): ExpectedJudges | null {
  const graders = factsOf(evalCase).pluginCase(evalCase)?.graders ?? null
  const paid = graders?.filter(({ type }) => type === 'llm' || type === 'baseline').length ?? 0
  if (evalCase.criteria === null && paid === 0) return null
  const run = { engine: engineName, model: null, modelAsked: model }
  const credential = subscriptionCredential(process.env)
  const { judge: ofAgent } = suite.agent ?? {}
  if (factsOf(evalCase).golden(evalCase) !== null && ofAgent !== undefined) {
    const judgeName = nearest<string | null>(settings.judge, null, null)
    return {
      judges: judgeName === null ? listJudges(ofAgent, run, credential) : [chooseJudge(judgeName, run, credential)],
      requests: 1 + BESIDE_VOTES,
    }
  }
  const ofGraders = graders === null ? null : settings.judgeModel
  const judgeName = ofGraders ?? nearest<string | null>(settings.judge, suite.config.judge, null)
  const requests = graders === null ? questionsOf(evalCase) * (settings.votes + BESIDE_VOTES) : paid
  return { judges: judgeName === null && model === null ? null : [chooseJudge(judgeName, run, credential)], requests }
}

// One judge for each turn that has criteria, and one for the whole.
function questionsOf({ criteria }: CasePart<'criteria'>): number {
  return Math.max(1, new Set(criteria?.statements?.map(({ turn }) => turn)).size)
}

/** What a test in TypeScript may ask of a judge once its run is over; its judge is that of the options, or the agent's model. */
export function judgeOfTest({ suite, settings, engineName, model }: Omit<CaseToJudge, 'evalCase'>): ExpectedJudge {
  const judgeName = nearest<string | null>(settings.judge, suite.config.judge, null)
  const requests = settings.votes + BESIDE_VOTES
  if (judgeName === null) return { model, wire: null, requests }
  const judge = chooseJudge(
    judgeName,
    { engine: engineName, model: null, modelAsked: model },
    subscriptionCredential(process.env),
  )
  return { model: judge.model, wire: kindOf(judge).wire, requests }
}

/** One more pays for what statements are about, which is short, and for the second question about refused verdicts. */
const BESIDE_VOTES = 1

async function requireReachable(judge: ChosenJudge, settings: RunSettings, requests: number): Promise<ExpectedJudge> {
  const { model } = judge
  const { wire } = kindOf(judge)
  requirePrice({ model, wire }, settings)
  await findProvider(judge, settings, { kind: 'live' })
  return { model, wire, requests }
}

/** Why a judge cannot be asked, in one sentence; `null` when it can. */
export function missingFor(judge: Pick<ChosenJudge, 'provider'>): string | null {
  return kindOf(judge).missing(process.env)
}

/** Says why none of these judges can be asked, and what helps with the credentials that are there. */
export function noJudge(judges: readonly ChosenJudge[]): AgentEvalsError {
  const list = judges.map((judge) => `  ${judge.provider}:${judge.model}: ${missingFor(judge) ?? 'could not be asked'}`)
  return new AgentEvalsError('no-judge', ['No judge can be asked:', ...list, hint()].join('\n'))
}

function hint(): string {
  const hints = Array.from(judgeProviders().values(), (kind) => kind.hint(process.env))
  return hints.find((one) => one !== null) ?? NO_CREDENTIAL
}
