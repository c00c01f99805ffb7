import { setTimeout as sleep } from 'node:timers/promises'
import type { Dialogue } from '../engines/engine.ts'
import { promptsOf } from '../formats/kinds.ts'
import type { AcquiredLease, FinishedLease } from '../gateway/control/client.ts'
import { countRequests, type Conversation } from '../recordings/conversation.ts'
import type { SessionResult } from '../sandbox/run.ts'
import type { UnnumberedEvent } from '../transcript/transcript.ts'
import { isRecorded } from './agent-request.ts'
import { answeringFor, type Answering } from './answer-questions.ts'
import { joinReaders, type JoinedReader } from './joined-reader.ts'
import { isDecided, readRecord } from './read-record.ts'
import {
  converse,
  ignoreLostGateway,
  runProgram,
  type ProgramIo,
  type ProgramRequest,
  type StagedSession,
} from './run-program.ts'
import { createTrace, type SessionEnd } from './session-end.ts'
import { offeredTools } from './skill-uses.ts'
import { promptEvent } from './turns.ts'

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
  /** What the program told so far. */
  private readonly stream: UnnumberedEvent[] = []
  private readonly times = new Map<UnnumberedEvent, number>()
  /** Ends the program. */
  private readonly stop = new AbortController()
  /** What was asked and answered when the run was decided; `null` as long as it is not. */
  private decided: Conversation | null = null
  private readonly answering: Answering | null
  private readonly trace: ReturnType<typeof createTrace> | null
  private startedAt = Date.now()
  /** How many requests came before each message that was sent. */
  private readonly requestsBefore: number[] = []
  private lastSessionId: string | null = null

  constructor(request: ProgramRequest, staged: StagedSession) {
    const { engine } = request.engine
    this.request = request
    this.staged = staged
    this.prompts = promptsOf(request.evalCase)
    this.reader = joinReaders(() => engine.createReader())
    this.answering = answeringFor(request)
    this.trace = (request.pluginCase ?? null) === null ? null : createTrace()
  }

  async run(): Promise<SessionEnd> {
    const first = this.nextPrompt(null) ?? ''
    void this.watch().catch(ignoreLostGateway)
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
      elapsed: () => this.elapsed(),
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
      signal: AbortSignal.any([...(io.signal === undefined ? [] : [io.signal]), this.stop.signal]),
      isAnswered: this.answering !== null,
      deadlineMs: this.request.deadlineMs - (resume === this.staged.resume ? 0 : this.elapsed()),
      // What was loaded and written before is no time of the run.
      onSpawn: () => {
        if (resume === this.staged.resume) this.startedAt = Date.now()
      },
      onLine: (line) => {
        this.take(this.reader.line(line))
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
    if (this.isLong()) this.take([promptEvent(this.requestsBefore.length, prompt)])
    return prompt
  }

  private take(events: readonly UnnumberedEvent[]): void {
    // What the program gets done before it is ended is left out, so that a run and its replay show the same.
    if (this.decided !== null) return
    this.stream.push(...events)
    for (const event of events) this.times.set(event, Date.now())
  }

  /** Ends the run at the request that carries what decides it. */
  private async watch(): Promise<void> {
    const { endsWith, abortsAfter } = this.request
    if (endsWith === undefined && abortsAfter === undefined) return
    const { lease } = this.staged
    for (let seen = await lease.look(); seen !== null; seen = await lease.look()) {
      const { request, stream } = this
      const { events } = readRecord({ request, stream, skills: this.staged.skills, conversation: this.recordOf(seen) })
      if (!isDecided(events, request)) continue
      this.decided = seen
      await lease.endAnswers()
      this.stop.abort()
      return
    }
  }

  private endOf(
    { conversation, meter }: Pick<FinishedLease, 'conversation' | 'meter'>,
    result: SessionResult,
  ): SessionEnd {
    const { stream, times, startedAt, trace, answering, decided } = this
    const summary = this.reader.end()
    return {
      result,
      stream: [...stream],
      times,
      startedAt,
      ...(trace === null ? {} : { trace: trace.lines }),
      summary: { ...summary, sessionId: summary.sessionId ?? this.lastSessionId },
      meter,
      conversation: this.recordOf(decided ?? conversation),
      offered: offeredTools(conversation, this.prompts),
      stopped: decided !== null,
      ...(answering === null ? {} : { unanswered: answering.notices() }),
    }
  }

  /** What was asked and answered, with where the messages of the user are; `null` where it is no record. */
  private recordOf(conversation: Conversation): Conversation | null {
    if (!this.isListening()) return null
    return this.isLong() ? { ...conversation, prompts: [...this.requestsBefore] } : conversation
  }

  /** Whether what is asked and answered is the record of the run, or is kept. */
  private isListening(): boolean {
    const { source, engine, standIns = [] } = this.request
    // Calls of mocks are compared with what was asked and answered.
    return isRecorded(source) || engine.engine.recordTable !== undefined || standIns.length > 0
  }

  private isLong(): boolean {
    return this.prompts.length > 1
  }

  private elapsed(): number {
    return Date.now() - this.startedAt
  }
}

/** Waits until the last answer of a turn is read to its end, which may come after the turn; returns the conversation. */
async function untilQuiet(lease: Pick<AcquiredLease, 'conversation'>): Promise<Conversation> {
  for (let attempt = 1; ; attempt += 1) {
    const observed = await lease.conversation()
    const main = observed.threads.find(({ thread }) => thread === 'main')
    if (main?.turns.at(-1)?.answer !== null || attempt === ATTEMPTS) return observed
    await sleep(PAUSE_MS)
  }
}

const ATTEMPTS = 100
const PAUSE_MS = 20
