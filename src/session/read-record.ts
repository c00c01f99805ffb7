import type { FoundEngine } from '../engines/find.ts'
import type { StreamSummary } from '../engines/stream.ts'
import { promptsOf } from '../formats/kinds.ts'
import type { Conversation } from '../recordings/conversation.ts'
import type { SkillText } from '../transcript/skill-reads.ts'
import { decidesRun } from '../transcript/select.ts'
import type { UnnumberedEvent } from '../transcript/transcript.ts'
import type { AgentRequest } from './agent-request.ts'
import { buildTranscript, type RunRecord } from './build-transcript.ts'
import { findSkillReads, skillOfPrompt, withLeftOut } from './skill-uses.ts'

/** What a record is read from. */
export interface RecordSources {
  readonly request: Pick<AgentRequest, 'evalCase'> & {
    readonly engine: FoundEngine
    readonly package: Pick<AgentRequest['package'], 'leftOut'>
  }
  /** Skills that the session found. */
  readonly skills: readonly SkillText[]
  readonly conversation: Conversation | null
  /** Events of the engine's stream. */
  readonly stream: readonly UnnumberedEvent[]
  readonly times?: ReadonlyMap<UnnumberedEvent, number>
  readonly summary?: Pick<StreamSummary, 'finalMessage' | 'output'>
}

/** Reads what a session did: as the gateway saw it where the engine has a table for that, else as its stream says. Pure. */
export function readRecord(sources: RecordSources): RunRecord {
  const { request, skills, conversation } = sources
  const { engine } = request.engine
  const record = readEvents(sources)
  const told = {
    prompt: promptsOf(request.evalCase).join('\n'),
    skills: withLeftOut(skills, request.package.leftOut),
  }
  const events = [
    ...skillOfPrompt(engine, request.evalCase.prompt, skills),
    ...findSkillReads(record.events, conversation, told),
  ]
  return { ...record, events }
}

function readEvents({ request, conversation, stream, summary = {}, times = new Map() }: RecordSources): RunRecord {
  const { recordTable } = request.engine.engine
  if (conversation !== null && recordTable !== undefined) return buildTranscript(conversation, stream, recordTable)
  const { output = '', finalMessage = '' } = summary
  return { events: stream, times, output, finalMessage, otherRequests: [], problem: null }
}

/** Whether what a session did until now decides it: nothing that comes later can change what is counted. Pure. */
export function isDecided(
  events: readonly UnnumberedEvent[],
  { endsWith, abortsAfter }: Pick<AgentRequest, 'abortsAfter' | 'endsWith'>,
): boolean {
  return events.some(
    (event) => (endsWith !== undefined && decidesRun(event, endsWith)) || abortsAfter?.(event) === true,
  )
}
