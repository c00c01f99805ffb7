import { isProgram } from '../../engines/find.ts'
import { enginesFor, trafficOf } from '../../engines/registry.ts'
import type { AnswerSource } from '../../gateway/leases/lease.ts'
import { createPlayedSource } from '../../gateway/sources/played.ts'
import { findWire } from '../../gateway/wires/wires.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import type { JsonValue } from '../../lib/json.ts'
import { sumOf } from '../../lib/lists.ts'
import { expandAnswers, foldersOf, type AgentOutcome, type AgentRequest } from '../agent-request.ts'
import { runAgent } from '../run-agent.ts'
import { decideAnswer, probe, probeOutcome, shareCache, whyFull, type FirstTurnPlan, type ProbeTools } from './probe.ts'
import { fillTemplate, templateOf } from './template.ts'

/**
 * Runs a trigger query: its first model turn decides where it can, and a full session does where it cannot. The session gets
 * the answer to the first turn handed over, so that nothing is asked twice.
 *
 * @throws {AgentEvalsError} as {@link runAgent}
 */
export async function runFirstTurn(request: AgentRequest, plan: FirstTurnPlan): Promise<AgentOutcome> {
  if (plan.mode === 'full') return runFull(request, null)
  const { engine } = request.engine
  const rules = isProgram(request.engine) ? engine.firstTurn : undefined
  const full = (because: string): Promise<AgentOutcome> => {
    void plan.otherArm?.()
    return runFull(shareCache(request), because)
  }
  const because = whyFull(request, rules, plan)
  if (because !== null || rules === undefined) return full(because ?? '')
  const { source } = request
  const template = await templateOf({ request, rules, scope: plan })
  if ('code' in template) throw new AgentEvalsError(template.code, template.problem)
  if ('problem' in template) return full(template.problem)
  const tools = { rules, template, plan }
  try {
    const played = playFirstTurn(request, tools)
    if (played !== null) return played
    if (source.kind === 'replay') return await full('the recorded first turn does not decide')
    await plan.otherArm?.()
    return await probe(request, tools)
  } finally {
    // The sessions that it was taken from end meanwhile.
    await template.over
  }
}

async function runFull(request: AgentRequest, because: string | null): Promise<AgentOutcome> {
  return { ...(await runAgent(request)), decided: { by: 'full', because } }
}

/**
 * Plays the first turn of a recording or a scenario, without the gateway: its request is made from real starts of the CLI,
 * so that every text of ours is compared as in a replay. `null` where that turn decides nothing, or a model is asked.
 */
function playFirstTurn(request: AgentRequest, { rules, template, plan }: ProbeTools): AgentOutcome | null {
  const startedAt = performance.now()
  const answers = expandAnswers(request.source, foldersOf(request, { root: '' }))
  const wire = findWire(request.engine.engine.wire)
  const traffic = trafficOf(enginesFor(request))
  const played = createPlayedSource(answers, traffic)
  if (played?.source.kind !== 'answers') return null
  const { source, credential } = played
  const { path, body, headers } = fillTemplate(template, request.evalCase.prompt)
  const modelRequest = wire.readRequest({ path, headers, body: JSON.parse(body) as JsonValue }, traffic)
  if (modelRequest === null) return null
  const reply = source.answer(modelRequest)
  if (reply.kind !== 'answer') return null
  const answer = rules.readRecorded(reply.answer)
  const decision = decideAnswer(rules, answer, template.offered, request.package, plan)
  if (decision.kind === 'undecided' || (decision.kind === 'ended' && wentOn(answers))) return null
  request.onStart?.()
  const conversation = source.conversation?.() ?? null
  const meter = { requests: 1, usage: null, model: reply.answer.model, costUsd: 0, problems: [] }
  const durationMs = performance.now() - startedAt
  return probeOutcome(request, {
    template,
    answer,
    decision,
    meter,
    conversation,
    credential,
    durationMs,
    timedOut: false,
  })
}

// A recorded turn after one that ends the session says that something went on.
function wentOn(answers: AnswerSource): boolean {
  return answers.kind === 'replay' && sumOf(answers.threads, ({ turns }) => turns.length) > 1
}
