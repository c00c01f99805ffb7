import { AgentEvalsError } from '../../lib/errors.ts'
import { subscriptionCredential } from '../../gateway/credentials.ts'
import { requirePrice } from '../prepare/resolve-engine.ts'
import { chooseJudge, listJudges, type ChosenJudge } from '../../judges/choose.ts'
import { nearest } from '../../options/option.ts'
import type { RunSettings } from '../../options/settings.ts'
import { NO_CREDENTIAL, judgeProviders } from '../../judges/providers/registry.ts'
import { findProvider, kindOf } from './judge-case.ts'
import { kindOf as factsOf } from '../../formats/kinds.ts'
import type { CasePart, Suite } from '../../formats/suite.ts'

/** A case whose agent is about to be asked live. */
export interface CaseToJudge {
  readonly suite: Pick<Suite, 'config'>
  readonly evalCase: CasePart<'criteria'>
  readonly settings: RunSettings
  readonly engineName: string
  /** Model that the agent has to use; `null` leaves it to the engine. */
  readonly model: string | null
}

/**
 * Looks for the judge of a case before its agent costs anything.
 *
 * @throws {AgentEvalsError} `no-judge` where no judge can be asked; `engine-not-found` for the program of one;
 * `unknown-price` where no budget can stop it.
 */
export async function requireJudge(request: CaseToJudge): Promise<void> {
  const judges = judgesOf(request)
  // A list without a judge has an error of its own, which names judge.md.
  if (judges === null || judges === 'unknown' || judges.length === 0) return
  const open = judges.find((judge) => missingFor(judge) === null)
  if (open === undefined) throw noJudge(judges)
  const { settings } = request
  requirePrice({ model: open.model, wire: kindOf(open).wire }, settings)
  await findProvider(open, settings, { kind: 'live' })
}

/**
 * Chooses the judges of a case before it runs, in the order in which they are tried; `null` where none will be asked,
 * `unknown` for the model of the agent, which only its run shows.
 *
 * @throws {AgentEvalsError} `invalid-options` for a judge that does not exist.
 */
export function judgesOf({
  suite,
  evalCase,
  settings,
  engineName,
  model,
}: CaseToJudge): readonly ChosenJudge[] | 'unknown' | null {
  const graders = factsOf(evalCase).pluginCase(evalCase)?.graders ?? null
  const isPaid = graders?.some(({ type }) => type === 'llm' || type === 'baseline') === true
  if (evalCase.criteria === null && !isPaid) return null
  const run = { engine: engineName, model: null, modelAsked: model }
  const credential = subscriptionCredential(process.env)
  const golden = factsOf(evalCase).golden(evalCase)
  if (golden !== null) {
    const judgeName = nearest<string | null>(settings.judge, null, null)
    return judgeName === null
      ? listJudges(golden.agent.judge, run, credential)
      : [chooseJudge(judgeName, run, credential)]
  }
  const ofGraders = graders === null ? null : settings.judgeModel
  const judgeName = ofGraders ?? nearest<string | null>(settings.judge, suite.config.judge, null)
  return judgeName === null && model === null ? 'unknown' : [chooseJudge(judgeName, run, credential)]
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
