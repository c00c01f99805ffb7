import { enginesFor, trafficOf } from '../../engines/registry.ts'
import { createPlayedSource } from '../../gateway/sources/played.ts'
import { findWire } from '../../gateway/wires/wires.ts'
import { expandAnswers } from '../expand-answers.ts'
import { foldersOf } from '../session-folders.ts'
import { decideAnswer } from './decide-answer.ts'
import { probeOutcome } from './probe-outcome.ts'
import { fillTemplate } from './template.ts'
import { sumOf } from '../../lists.ts'
import type { AnswerSource } from '../../gateway/leases/lease.ts'
import type { JsonValue } from '../../json.ts'
import type { AgentOutcome, AgentRequest } from '../agent-request.ts'
import type { ProbeTools } from './probe.ts'

/**
 * Plays the first turn of a recording or a scenario, without the gateway: its request is made from real starts of the CLI,
 * so that every text of ours is compared as in a replay. `null` where that turn decides nothing, or a model is asked.
 */
export function playFirstTurn(request: AgentRequest, { rules, template, plan }: ProbeTools): AgentOutcome | null {
  const startedAt = performance.now()
  const answers = expandAnswers(request.source, foldersOf(request, { root: '' }))
  const wire = findWire(request.engine.engine.wire)
  const traffic = trafficOf(enginesFor(request))
  const played = createPlayedSource(answers, traffic)
  if (played?.source.kind !== 'answers') return null
  const { source, credential } = played
  const { path, body, headers } = fillTemplate(template, request.evalCase.prompt)
  const asked = wire.readRequest({ path, headers, body: JSON.parse(body) as JsonValue }, traffic)
  if (asked === null) return null
  const given = source.answer(asked)
  if (given.kind !== 'answer') return null
  const answer = rules.readRecorded(given.answer)
  const decision = decideAnswer(rules, answer, template.offered, request.package, plan)
  if (decision.kind === 'undecided' || (decision.kind === 'ended' && wentOn(answers))) return null
  request.onStart?.()
  const conversation = source.conversation?.() ?? null
  const meter = { requests: 1, usage: null, model: given.answer.model, costUsd: 0, problems: [] }
  const durationMs = performance.now() - startedAt
  const end = { template, answer, decision, meter, conversation, credential, durationMs, timedOut: false }
  return probeOutcome(request, end, { by: 'probe', because: null })
}

// A recorded turn after one that ends the session says that something went on.
function wentOn(answers: AnswerSource): boolean {
  return answers.kind === 'replay' && sumOf(answers.threads, ({ turns }) => turns.length) > 1
}
