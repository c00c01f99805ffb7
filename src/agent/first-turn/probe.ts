import { acquireLease } from '../../gateway/client.ts'
import { compareStart } from './compare-start.ts'
import { expandAnswers } from '../expand-answers.ts'
import { runAgent } from '../run-agent.ts'
import { foldersOf } from '../session-folders.ts'
import { decideAnswer } from './decide-answer.ts'
import { probeOutcome, type ProbeEnd } from './probe-outcome.ts'
import { sendProbe, type ProbeReply } from './send-probe.ts'
import { fillTemplate, type UsedTemplate } from './template.ts'
import { withSpending } from './with-spending.ts'
import type { FirstAnswer, FirstDecision, FirstTurnRules } from '../../engines/first-turn.ts'
import type { AcquiredLease } from '../../gateway/client.ts'
import type { FirstRequest } from '../../gateway/first-request.ts'
import type { StoredAnswer } from '../../gateway/first-turn.ts'
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
  if (differs !== null) return { ...(await runAgent(request)), decided: { by: 'full', because: differs } }
  const source = expandAnswers(request.source, foldersOf(request, { root: '' }))
  const asked = {
    ...template.asked,
    caseId: request.label,
    source,
    firstTurn: 'probe' as const,
    cached: template.cached,
  }
  const lease = await acquireLease(request.controlSocket, asked, request.signal)
  const release = (): void => void lease.release()
  request.signal.addEventListener('abort', release, { once: true })
  try {
    request.onStart?.()
    const startedAt = performance.now()
    const { reply, timedOut } = await ask(request, lease, sent)
    const answer = reply?.status === 200 && !reply.isCut ? rules.read(reply.contentType, reply.bytes) : null
    const decision: FirstDecision =
      answer === null
        ? { kind: 'undecided', because: 'the API gave no complete answer' }
        : decideAnswer(rules, answer, template.offered, request.package, plan)
    const durationMs = performance.now() - startedAt
    const goesOn = decision.kind === 'undecided' && plan.mode !== 'probe' && !timedOut && !request.signal.aborted
    if (goesOn && !(await cannotGoOn(lease)))
      return await goOn(request, { lease, sent, stored: store(reply, answer), because: decision.because, durationMs })

    const { credential } = lease.grant
    const { meter, conversation } = await lease.finish(timedOut)
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
  return problems.some(({ code }) => code === 'budget-spent' || code === 'out-of-credit')
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
  const anew = await runAgent(rest)
  const why = `${because}; and the first request of its session differs from the probe in ${differs}, so the model was asked again`
  return { ...anew, run: withSpending(anew.run, session.run), decided: { by: 'full', because: why } }
}

function later(run: AgentRun, ms: number): AgentRun {
  return { ...run, durationMs: run.durationMs + Math.round(ms) }
}

function store(reply: ProbeReply | null, answer: FirstAnswer | null): StoredAnswer | null {
  if (reply === null) return null
  const { status, headers, bytes, isCut } = reply
  return { status, headers, isCut, body: bytes.toString('base64'), message: answer?.message ?? null }
}
