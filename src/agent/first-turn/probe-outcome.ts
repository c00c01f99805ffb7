import { summaryOf } from '../../engines/stream/read-lines.ts'
import { NO_PROCESS } from '../../sandbox/run.ts'
import { buildAgentRun } from '../build-agent-run.ts'
import { isRecorded } from '../run-session.ts'
import { nameSession } from '../session-folders.ts'
import type { FirstAnswer, FirstBlock, FirstDecision } from '../../engines/first-turn.ts'
import type { Conversation } from '../../conversation/conversation.ts'
import type { CredentialKind, MeterReading } from '../../gateway/leases/lease.ts'
import type { UnnumberedEvent } from '../../transcript/transcript.ts'
import type { RunDecision } from '../../results/run-decision.ts'
import type { AgentOutcome, AgentRequest } from '../agent-request.ts'
import type { Template } from './template.ts'

/** What is known of a run when its first turn is over. */
export interface ProbeEnd {
  readonly template: Pick<Template, 'offered'>
  /** `null` where there was none. */
  readonly answer: FirstAnswer | null
  readonly decision: FirstDecision
  readonly meter: MeterReading
  readonly conversation: Conversation | null
  readonly credential: CredentialKind
  readonly durationMs: number
  readonly timedOut: boolean
}

/** The outcome of a run that ends with its first turn. */
export function probeOutcome(request: AgentRequest, end: ProbeEnd, decided: RunDecision): AgentOutcome {
  const { answer, decision, meter, template } = end
  const texts = (answer?.blocks ?? []).flatMap((block) => (block.kind === 'text' ? [block.text] : []))
  const run = buildAgentRun({
    request,
    ended: {
      result: {
        ...NO_PROCESS,
        timedOut: end.timedOut,
        aborted: request.signal.aborted,
        durationMs: end.durationMs,
      },
      events: [...(answer?.blocks ?? []).flatMap(eventOf), ...usedBy(decision), notice(decision)],
      summary: {
        status: answer === null ? 'api-error' : 'completed',
        problem: answer === null ? 'The first turn was not answered.' : null,
        ...summaryOf([texts.join('\n')]),
        skills: template.offered,
      },
      meter,
      conversation: null,
      stopped: decision.kind === 'called',
    },
    files: { created: [], modified: [], deleted: [], unreadable: [] },
    decisions: [],
    hookPlan: { packageRoot: '', hooks: [] },
    isResumed: false,
    skills: [],
    workspace: null,
  })
  const { conversation } = end
  return {
    run,
    warnings: [],
    conversation:
      conversation === null || !isRecorded(request.source) ? null : nameSession(request, { root: '' }, conversation),
    credential: end.credential,
    stopped: decision.kind === 'called',
    skillsListed: template.offered,
    differs: null,
    decided,
  }
}

function eventOf(block: FirstBlock): readonly UnnumberedEvent[] {
  if (block.kind === 'text') return [{ kind: 'message', agent: null, text: block.text }]
  if (block.kind !== 'call') return []
  return [{ kind: 'tool-call', agent: null, id: block.id, tool: block.tool, input: block.input }]
}

function usedBy(decision: FirstDecision): readonly UnnumberedEvent[] {
  return decision.kind === 'called' ? [{ kind: 'skill-used', agent: null, skill: decision.skill, via: 'tool' }] : []
}

function notice(decision: FirstDecision): UnnumberedEvent {
  const text =
    decision.kind === 'undecided'
      ? `The first model turn does not decide this run, and no session may follow it: ${decision.because}.`
      : 'The first model turn decided this run: no session was started for it.'
  return { kind: 'notice', agent: null, text }
}
