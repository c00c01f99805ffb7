import type { Dialogue } from '../engines/engine.ts'
import { promptsOf } from '../formats/kinds.ts'
import type { FinishedLease } from '../gateway/control/client.ts'
import { countRequests, type Conversation } from '../recordings/conversation.ts'
import type { SessionResult } from '../sandbox/run.ts'
import { createSkillReads } from '../transcript/skill-reads.ts'
import { isRecorded, type AgentRequest } from './agent-request.ts'
import { answeringFor, type Answering } from './answer-questions.ts'
import { createTrace, type SessionEnd } from './session-end.ts'
import { joinReaders, withSkillReads, type JoinedReader } from './joined-reader.ts'
import { converse, runProgram, type ProgramIo, type ProgramRequest, type StagedSession } from './run-program.ts'
import { offeredTools } from './skill-uses.ts'
import {
  decidesEvent,
  untilAnswered,
  untilLastCall,
  untilQuiet,
  watchEvents,
  withModelIds,
  type WatchedEvents,
} from './watch-events.ts'
import { promptEvent } from './weave-stream.ts'

/** Runs the program of an engine in the sandbox until its tree is gone. */
export function runSession(request: ProgramRequest, staged: StagedSession): Promise<SessionEnd> {
  return new Session(request, staged).run()
}

/** A session of one message or several, in one process or one for each. */
class Session {
  private readonly request: ProgramRequest
  private readonly staged: StagedSession
  private readonly prompts: readonly string[]
  private readonly reader: JoinedReader
  private readonly seen: WatchedEvents
  private readonly answering: Answering | null
  private readonly trace: ReturnType<typeof createTrace> | null
  private readonly startedAt = performance.now()
  /** How many requests came before each message that was sent. */
  private readonly requestsBefore: number[] = []
  private lastSessionId: string | null = null

  constructor(request: ProgramRequest, staged: StagedSession) {
    const { engine } = request.engine
    this.request = request
    this.staged = staged
    this.prompts = promptsOf(request.evalCase)
    this.reader = joinReaders(() =>
      withSkillReads(engine.createReader(), createSkillReads(staged.skills, this.prompts)),
    )
    this.seen = watchEvents(this.reader, decidesEvent(request), () => this.endAnswers())
    this.answering = answeringFor(request)
    this.trace = (request.pluginCase ?? null) === null ? null : createTrace()
  }

  async run(): Promise<SessionEnd> {
    const first = this.nextPrompt(null) ?? ''
    const { dialogue } = this.request.engine.engine
    const result =
      dialogue !== undefined && (this.isLong() || this.answering !== null)
        ? await this.runDialogue(dialogue, first)
        : await this.runEach(first)
    const finished = await this.staged.lease.finish()
    const whole = this.isLong() ? { ...result, durationMs: this.elapsed() } : result
    return { ...this.endOf(finished, whole), differs: finished.differs }
  }

  /** Sends all messages to one process. */
  private runDialogue(dialogue: Dialogue, first: string): Promise<SessionResult> {
    return converse(dialogue, {
      start: (io) => this.start(first, this.staged.resume, io),
      endTurn: (result) => this.endTurn(result),
      startedAt: this.startedAt,
      answer: this.answering?.answer,
    })
  }

  /** Starts a process for each message, which goes on with the session of the one before; most sessions have one. */
  private async runEach(first: string): Promise<SessionResult> {
    let result = await this.start(first, this.staged.resume)
    for (let next = await this.endTurn(result); next !== null; next = await this.endTurn(result)) {
      const { sessionId } = this.reader.end()
      this.reader.next()
      result = await this.start(next, sessionId)
    }
    return result
  }

  private async start(prompt: string, resume: string | null, io: ProgramIo = {}): Promise<SessionResult> {
    const { result, sessionId } = await runProgram(this.request, this.staged, {
      prompt,
      resume,
      stdin: io.stdin,
      signal: AbortSignal.any([...(io.signal === undefined ? [] : [io.signal]), this.seen.stop]),
      isAnswered: this.answering !== null,
      deadlineMs: this.request.deadlineMs - (resume === this.staged.resume ? 0 : this.elapsed()),
      onLine: (line) => {
        this.seen.line(line)
        this.trace?.push(line)
        io.onLine?.(line)
      },
    })
    this.lastSessionId = sessionId
    return result
  }

  /** Hands over what there is until now; returns the next message, `null` where none follows. */
  private async endTurn(result: SessionResult): Promise<string | null> {
    if (this.requestsBefore.length === this.prompts.length) return null
    const { lease, onTurn } = this.staged
    const conversation = await untilQuiet(lease)
    const ended = this.endOf({ conversation, meter: await lease.meter() }, result)
    if (ended.summary.status !== 'completed' || ended.meter.problems.length > 0) return null
    await onTurn?.(ended)
    return this.nextPrompt(conversation)
  }

  private nextPrompt(conversation: Conversation | null): string | null {
    const prompt = this.prompts[this.requestsBefore.length] ?? null
    if (prompt === null) return null
    this.requestsBefore.push(conversation === null ? 0 : countRequests(conversation))
    if (this.isLong()) this.seen.add(promptEvent(this.requestsBefore.length, prompt))
    return prompt
  }

  // The event that decides the run was seen.
  private async endAnswers(): Promise<void> {
    const { lease } = this.staged
    if (this.isListening()) await untilAnswered(lease, (conversation) => this.eventsIn(conversation))
    await lease.endAnswers()
  }

  private endOf(
    { conversation, meter }: Pick<FinishedLease, 'conversation' | 'meter'>,
    result: SessionResult,
  ): SessionEnd {
    const { seen, trace, answering } = this
    const summary = this.reader.end()
    return {
      result,
      events: [...seen.events],
      times: seen.times,
      ...(trace === null ? {} : { trace: trace.lines }),
      summary: { ...summary, sessionId: summary.sessionId ?? this.lastSessionId },
      meter,
      conversation: this.isListening() || hasMocks(this.request) ? this.ownPart(conversation) : null,
      offered: offeredTools(conversation, this.prompts),
      stopped: seen.isOver(),
      ...(answering === null ? {} : { unanswered: answering.notices() }),
    }
  }

  /** The conversation up to the end of the run, with where the messages of the user are. */
  private ownPart(conversation: Conversation): Conversation {
    const whole = this.isLong() ? { ...conversation, prompts: [...this.requestsBefore] } : conversation
    return this.seen.isOver() ? untilLastCall(whole, this.eventsIn(whole)) : whole
  }

  private eventsIn(conversation: Conversation): SessionEnd['events'] {
    return withModelIds(this.request.engine.engine, this.seen.events, conversation)
  }

  /** Whether what is asked and answered is the record of the run, or is kept. */
  private isListening(): boolean {
    return isRecorded(this.request.source) || this.request.engine.engine.recordTable !== undefined
  }

  private isLong(): boolean {
    return this.prompts.length > 1
  }

  private elapsed(): number {
    return performance.now() - this.startedAt
  }
}

// Their calls are compared with what was asked and answered.
function hasMocks({ standIns = [] }: AgentRequest): boolean {
  return standIns.length > 0
}
