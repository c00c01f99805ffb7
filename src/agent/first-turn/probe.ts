import { isStop } from '../../results/stops-new-work.ts'
import { acquireLease } from '../../gateway/control/client.ts'
import { compareStart } from './compare-start.ts'
import { expandAnswers } from '../expand-answers.ts'
import { runAgent } from '../run-agent.ts'
import { foldersOf } from '../session-folders.ts'
import { decideAnswer } from './decide-answer.ts'
import { probeOutcome, type ProbeEnd } from './probe-outcome.ts'
import { sendProbe, storeReply, type ProbeReply } from './send-probe.ts'
import { shareCache } from './share-cache.ts'
import { fillTemplate, type UsedTemplate } from './template.ts'
import { withSpending } from './with-spending.ts'
import type { FirstDecision, FirstTurnRules } from '../../engines/first-turn.ts'
import type { AcquiredLease } from '../../gateway/control/client.ts'
import type { FirstRequest } from '../../gateway/first-turn/first-request.ts'
import type { StoredAnswer } from '../../gateway/first-turn/first-turn.ts'
import type { AgentRun } from '../../transcript/agent-run.ts'
import type { AgentOutcome, AgentRequest } from '../agent-request.ts'
import type { FirstTurnPlan } from './first-turn-plan.ts'

/** What a probe is made and read by. */
export interface ProbeTools {
  readonly rules: FirstTurnRules
  readonly template: UsedTemplate
  readonly plan: FirstTurnPlan
}

/** Asks for the first turn alone, and lets a session go on from it where it decides nothing. */
export async function probe(request: AgentRequest, tools: ProbeTools): Promise<AgentOutcome> {
  const { template, plan, rules } = tools
  const sent = fillTemplate(template, request.evalCase.prompt)
  const differs = request.source.kind === 'record' ? await compareStart(request, template) : null
  if (differs !== null) return { ...(await runAgent(shareCache(request))), decided: { by: 'full', because: differs } }
  const source = expandAnswers(request.source, foldersOf(request, { root: '' }))
  const asked = {
    ...template.asked,
    caseId: request.label,
    source,
    firstTurn: 'probe' as const,
    ...(request.endsWith === undefined ? {} : { endsWith: request.endsWith }),
    cached: template.cached,
  }
  const lease = await acquireLease(request.controlSocket, asked, request.signal)
  const release = (): void => void lease.release()
  request.signal.addEventListener('abort', release, { once: true })
  try {
    request.onStart?.()
    const startedAt = performance.now()
    const { reply, timedOut } = await ask(request, lease, sent)
    const isTooLarge = reply?.isTooLarge === true
    const answer = reply !== null && isWhole(reply) ? rules.read(reply.contentType, reply.bytes) : null
    const decision: FirstDecision =
      answer === null
        ? { kind: 'undecided', because: isTooLarge ? TOO_LARGE : 'the API gave no complete answer' }
        : decideAnswer(rules, answer, template.offered, request.package, plan)
    const durationMs = performance.now() - startedAt
    const goesOn = decision.kind === 'undecided' && plan.mode !== 'probe' && !timedOut && !request.signal.aborted
    if (goesOn && !(await cannotGoOn(lease))) {
      const stored = reply === null || isTooLarge ? null : storeReply(reply, answer)
      return await goOn(request, { lease, sent, stored, because: decision.because, durationMs })
    }

    const { credential } = lease.grant
    const { meter, conversation } = await lease.finish()
    const end: ProbeEnd = { template, answer, decision, meter, conversation, credential, durationMs, timedOut }
    if (decision.kind !== 'undecided') return probeOutcome(request, end, { by: 'probe', because: null })
    // What was not answered at all is an error of its run.
    const isUndecided = answer === null ? {} : { undecided: true as const }
    return probeOutcome(request, end, { by: 'probe', because: decision.because, ...isUndecided })
  } finally {
    request.signal.removeEventListener('abort', release)
    await lease.release()
  }
}

// A session decodes what it did not ask to be compressed, or fails at it: that is its own matter.
function isWhole({ status, headers, isCut, isTooLarge }: ProbeReply): boolean {
  const isPlain = (headers['content-encoding'] ?? []).every((coding) => coding === 'identity')
  return status === 200 && isPlain && !isCut && !isTooLarge
}

const TOO_LARGE = 'the answer is larger than 4 MiB, which is too large to keep'

async function ask(
  request: AgentRequest,
  { grant, signal }: AcquiredLease,
  sent: FirstRequest,
): Promise<{ readonly reply: ProbeReply | null; readonly timedOut: boolean }> {
  const deadline = AbortSignal.timeout(request.deadlineMs)
  const reply = await sendProbe(grant, sent, AbortSignal.any([request.signal, signal, deadline]))
  return { reply, timedOut: deadline.aborted && reply?.isCut !== false }
}

// A session would meet the same end at once.
async function cannotGoOn(lease: AcquiredLease): Promise<boolean> {
  const { problems } = await lease.meter()
  return problems.some(isStop)
}

/** What a session goes on from. */
interface Rest {
  readonly lease: AcquiredLease
  readonly sent: FirstRequest
  readonly stored: StoredAnswer | null
  readonly because: string
  readonly durationMs: number
}

async function goOn(request: AgentRequest, { lease, sent, stored, because, durationMs }: Rest): Promise<AgentOutcome> {
  const { onStart: _onStart, ...rest } = request
  const session = await runAgent({
    ...rest,
    deadlineMs: Math.max(1, Math.round(request.deadlineMs - durationMs)),
    openLease: async () => {
      await lease.handOver({ request: sent, answer: stored })
      return lease
    },
  })
  const { differs } = session
  if (differs === null)
    return { ...session, run: later(session.run, durationMs), decided: { by: 'probe+full', because } }
  const anew = await runAgent(shareCache(rest))
  const why = `${because}; and the first request of its session differs from the probe in ${differs}, so the model was asked again`
  return { ...anew, run: withSpending(anew.run, session.run), decided: { by: 'full', because: why } }
}

function later(run: AgentRun, ms: number): AgentRun {
  return { ...run, durationMs: run.durationMs + Math.round(ms) }
}
