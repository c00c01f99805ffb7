import { enginesFor, trafficOf } from '../../engines/registry.ts'
import { createReplaySource } from '../../gateway/sources/replay.ts'
import { findWire } from '../../gateway/wires/find-wire.ts'
import { expandAnswers } from '../expand-answers.ts'
import { foldersOf } from '../session-folders.ts'
import { decideAnswer } from './decide-answer.ts'
import { probeOutcome } from './probe-outcome.ts'
import { fillTemplate } from './template.ts'
import type { ReplaySource } from '../../gateway/lease.ts'
import type { JsonValue } from '../../json.ts'
import type { AgentOutcome, AgentRequest } from '../agent-request.ts'
import type { ProbeTools } from './probe.ts'

/**
 * Plays the first turn of a recording without a session: its request is made from the one start of the CLI, so that every
 * text of ours is compared as in a replay. `null` where the recorded turn decides nothing.
 */
export async function replayFirstTurn(
  request: AgentRequest & { readonly source: ReplaySource },
  { rules, template, plan }: ProbeTools,
): Promise<AgentOutcome | null> {
  const startedAt = performance.now()
  const source = expandAnswers(request.source, foldersOf(request, { root: '' }))
  const wire = findWire(request.engine.engine.wire)
  if (source.kind !== 'replay' || wire === null) return null
  const traffic = trafficOf(enginesFor(request))
  const played = createReplaySource(source, traffic)
  const { body, headers } = fillTemplate(template, request.evalCase.prompt)
  const asked = wire.readRequest(JSON.parse(body) as JsonValue, headers, traffic)
  if (asked === null || played.kind !== 'answers') return null
  const given = played.answer(asked)
  if (given.kind !== 'answer') return null
  const answer = rules.readRecorded(given.answer)
  const decision = decideAnswer(rules, answer, template.offered, request.package, plan)
  const turns = source.threads.reduce((sum, thread) => sum + thread.turns.length, 0)
  // A turn after one that ends the session says that something went on.
  if (decision.kind === 'undecided' || (decision.kind === 'ended' && turns > 1)) return null
  request.onStart?.()
  const conversation = played.conversation?.() ?? null
  const meter = { requests: 1, usage: null, model: given.answer.model, costUsd: 0, problems: [] }
  const durationMs = performance.now() - startedAt
  const end = { template, answer, decision, meter, conversation, durationMs, timedOut: false }
  return probeOutcome(request, { ...end, credential: source.credential }, { by: 'probe', because: null })
}
