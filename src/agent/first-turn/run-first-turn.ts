import { AgentEvalsError } from '../../errors.ts'
import { isProgram } from '../../engines/find/find.ts'
import { describeUndecided } from '../../results/run-decision.ts'
import { runAgent } from '../run-agent.ts'
import { playFirstTurn } from './play-first-turn.ts'
import { probe } from './probe.ts'
import { shareCache } from './share-cache.ts'
import { templateOf } from './template.ts'
import { whyFull } from './why-full.ts'
import { withSpending } from './with-spending.ts'
import type { AgentOutcome, AgentRequest } from '../agent-request.ts'
import type { FirstTurnPlan } from './first-turn-plan.ts'

/**
 * Runs a trigger query: its first model turn decides where it can, and a full session does where it cannot. The session gets
 * the answer to the first turn handed over, so that nothing is asked twice.
 *
 * @throws {AgentEvalsError} as {@link runAgent}; `first-turn-undecided` where only the first turn may be looked at and there
 * is none.
 */
export async function runFirstTurn(request: AgentRequest, plan: FirstTurnPlan): Promise<AgentOutcome> {
  if (plan.mode === 'full') return runFull(request, null)
  if (plan.mode === 'verify') return verify(request, plan)
  return decide(request, plan)
}

async function decide(request: AgentRequest, plan: FirstTurnPlan): Promise<AgentOutcome> {
  const { engine } = request.engine
  const rules = isProgram(request.engine) ? engine.firstTurn : undefined
  const full = (because: string): Promise<AgentOutcome> => {
    if (plan.mode !== 'probe') return runFull(shareCache(request), because)
    throw new AgentEvalsError('first-turn-undecided', describeUndecided(because))
  }
  const because = whyFull(request, rules, { ...plan, verifies: plan.mode === 'verify' })
  if (because !== null || rules === undefined) return full(because ?? '')
  const { source } = request
  const template = await templateOf({ request, rules, scope: plan })
  if ('problem' in template) return full(template.problem)
  const tools = { rules, template, plan }
  try {
    const played = playFirstTurn(request, tools)
    if (played !== null) return played
    return await (source.kind === 'replay' ? full('the recorded first turn does not decide') : probe(request, tools))
  } finally {
    // The sessions that it was taken from end meanwhile.
    await template.over
  }
}

async function runFull(request: AgentRequest, because: string | null): Promise<AgentOutcome> {
  return { ...(await runAgent(request)), decided: { by: 'full', because } }
}

// What counts is the full run: the probe beside it only shows whether it can be relied on.
async function verify(request: AgentRequest, plan: FirstTurnPlan): Promise<AgentOutcome> {
  const { onStart: _onStart, ...again } = request
  const first = await decide(request, plan)
  if (first.decided?.by === 'full' || first.decided === undefined) return first
  const second = await runAgent(again)
  const [probed, full] = [plan.hasFired(first.run), plan.hasFired(second.run)]
  const agrees = probed === null || full === null ? {} : { agrees: probed === full }
  return { ...second, run: withSpending(second.run, first.run), decided: { ...first.decided, ...agrees } }
}
