import { promptsOf } from '../../formats/kinds.ts'
import { release } from 'node:os'
import { enginesFor } from '../../engines/registry.ts'
import type { AnswerSource, ReplaySource, UpstreamSource } from '../../gateway/leases/lease.ts'
import { pathFrom } from '../../packages/package-root.ts'
import { buildRecording, findUnusedAnswers, withUnstableLines } from '../../recordings/build.ts'
import { EMPTY_CONVERSATION, turnAt, type Conversation } from '../../recordings/conversation.ts'
import { findDrift, shownLines, type Drift } from '../../recordings/drift.ts'
import { compareHooks, newWords, recordHooks, withUnstableWords, wordsOf } from '../../recordings/hook-drift.ts'
import { dayWords } from '../../recordings/kept-lines.ts'
import { withJudgePart, type RecordedHook, type RecordedJudge, type Recording } from '../../recordings/recording.ts'
import type { Input } from '../../recordings/input.ts'
import { createResultForm, type ResultForm } from '../../recordings/messages.ts'
import { changedInputs, findStale, findUnseen, shortHash, type StaleText } from '../../recordings/stale.ts'
import { writeRecording } from '../../recordings/store.ts'
import type { PackageTexts } from '../../recordings/visible-texts.ts'
import type { Decision } from '../../report/results/decide-outcome.ts'
import type { ResultSource } from '../../report/results/result.ts'
import { INSIDE_TOP_FOLDERS } from '../../sandbox/environment.ts'
import { nameText, type AgentOutcome, type AgentRequest } from '../../session/agent-request.ts'
import { runAgent } from '../../session/run-agent.ts'
import type { AgentRun } from '../../transcript/transcript.ts'
import { collectPackageTexts } from './package-texts.ts'

/** A run of a case, with what became of its recording. */
export interface RecordedOutcome extends AgentOutcome {
  readonly source: ResultSource
  /** Who answered; `null` when a recording did. */
  readonly upstream: UpstreamSource | null
  /** The recording that was played, or the one that was made and is to be written; `null` when there is none. */
  readonly recording: Recording | null
  /** How the run compares with the recording it was played from; `null` when it was not. */
  readonly replay: ReplayFindings | null
  /** Why a run that was to be recorded is not; `null` when nothing is wrong. */
  readonly notRecorded: string | null
}

/** What a replay has shown of its recording. */
export interface ReplayFindings {
  readonly stale: readonly StaleText[]
  readonly drift: readonly Drift[]
  /** Requests that the recording does not hold, and answers that were not asked for. */
  readonly incompatible: readonly string[]
  /** Texts that the model is shown now and was not when it was recorded. */
  readonly unseen: readonly string[]
}

/** Runs an engine once. */
export type RunEngine = (request: AgentRequest) => Promise<AgentOutcome>

/** What decides whether a run replays to the same. */
export type OutcomeOf = (run: AgentRun) => Decision

/**
 * Runs a case from where its answers come: live and scenario as they are, a recording compared with what it was made
 * from, and a new recording played once at once, for free, so that it is known to hold.
 */
export async function runRecorded(
  prepared: PreparedRun,
  outcomeOf: OutcomeOf,
  run: RunEngine = runAgent,
): Promise<RecordedOutcome> {
  const { request, source } = prepared
  const outcome = await run(request)
  const nothing = {
    source: source.name,
    upstream: upstreamOf(request.source),
    recording: null,
    replay: null,
    notRecorded: null,
  }
  if (outcome.conversation === null) return { ...outcome, ...nothing }
  if (source.recording === null)
    return { ...outcome, ...nothing, ...(await record(prepared, outcome, outcome.conversation, outcomeOf)) }

  const { recording } = source
  const replay = compare(recording, prepared, outcome, outcome.conversation)
  if (replay.stale.length === 0 || source.whenStale === null)
    return { ...outcome, ...nothing, run: withRecorded(outcome.run, recording), recording, replay }
  const live = { ...source, name: 'record' as const, recording: null, whenStale: null, model: source.whenStale.model }
  const { answers, model } = source.whenStale
  return runRecorded({ ...prepared, source: live, request: { ...request, source: answers, model } }, outcomeOf, run)
}

function upstreamOf(source: AnswerSource): UpstreamSource | null {
  if (source.kind === 'replay') return null
  return source.kind === 'record' ? source.upstream : source
}

function compare(
  recording: Recording,
  prepared: PreparedRun,
  outcome: AgentOutcome,
  conversation: Conversation,
): ReplayFindings {
  const { inputs } = prepared
  const { engineVersion } = outcome.run
  const present = { conversation, ours: packageTextsOf(prepared), inputs, engineVersion }
  const sameEngine = recording.engine.version === present.engineVersion
  const hooks = compareHooks(recording.hooks, hooksOf(prepared, outcome))
  // A hook that nobody has edited may speak more often than it did.
  const isEdited = changedInputs(recording, inputs).size > 0
  const drift = [
    ...findDrift(recording, conversation, sameEngine, formOf(prepared)),
    ...hooks.drift,
    ...(isEdited ? [] : hooks.added.map((hook) => newWords(hook))),
  ]
  // After other tool results a session may well end elsewhere, and one that was ended has not asked for the rest.
  const isOwnEnd = drift.length === 0 && outcome.run.status === 'completed' && !outcome.stopped
  return {
    stale: [
      ...findStale(recording, present),
      ...staleScenario(recording, prepared),
      ...newTurns(recording, prepared),
      ...(isEdited ? hooks.added.map((hook) => staleByHook(hook, prepared)) : []),
    ],
    drift,
    incompatible: [...conversation.unanswered, ...(isOwnEnd ? findUnusedAnswers(recording, conversation) : [])],
    unseen: findUnseen(recording, present),
  }
}

function hooksOf(
  prepared: PreparedRun,
  { folders, run }: AgentOutcome,
  volatile: readonly string[] = [],
): readonly RecordedHook[] {
  const plain = (text: string): string => (folders === undefined ? text : nameText(text, folders))
  return recordHooks(run, plain, formOf(prepared), volatile)
}

function staleByHook(hook: RecordedHook, { request }: PreparedRun): StaleText {
  const { hooksFile, root } = request.package
  const path = hooksFile === null ? 'hooks' : pathFrom(root, hooksFile)
  return { path, part: `${wordsOf(hook)}: ${JSON.stringify(shownLines(hook.lines))}`, why: 'new' }
}

function packageTextsOf({ request, inputs }: PreparedRun): PackageTexts {
  return collectPackageTexts({ ...request, inputs, engines: enginesFor(request) })
}

// Nobody has answered a message that was added to the end of a conversation.
function newTurns(
  { turns }: Recording,
  { request: { evalCase, package: pkg, suite } }: PreparedRun,
): readonly StaleText[] {
  const recorded = turns?.length ?? 1
  const turn = recorded + 1
  if (promptsOf(evalCase).length <= recorded) return []
  return [{ path: pathFrom(pkg.root, suite.file), part: `prompt of turn ${turn}`, why: 'new', turn }]
}

// A scenario is shown to no model, but what was copied from it is no longer what it says.
function staleScenario(recording: Recording, { source }: PreparedRun): readonly StaleText[] {
  const recorded = recording.inputs.find(({ role }) => role === 'scenario')
  if (recording.origin !== 'scenario' || source.scenario === null || recorded === undefined) return []
  if (recorded.hash === shortHash(source.scenario.hash)) return []
  return [{ path: recorded.path, part: 'scenario', why: 'changed' }]
}

async function record(
  prepared: PreparedRun,
  outcome: AgentOutcome,
  conversation: Conversation,
  outcomeOf: OutcomeOf,
): Promise<Pick<RecordedOutcome, 'notRecorded' | 'recording'>> {
  if (!isRecordable(outcome.run, outcomeOf)) return { recording: null, notRecorded: null }
  const made = makeRecording(prepared, outcome, conversation)
  const { collect: _collect, collectTurn: _collectTurn, handOver: _handOver, ...request } = prepared.request
  const again = await runAgent({ ...request, source: replayAnswers(made), model: outcome.run.modelAsked })
  const observed = again.conversation ?? EMPTY_CONVERSATION
  const hooks = withUnstableWords(made.hooks ?? [], hooksOf(prepared, again))
  const recording = { ...withUnstableLines(made, observed, formOf(prepared)), hooks }
  const difference =
    observed.unanswered[0] ??
    whyDifferent(outcomeOf(outcome.run), outcomeOf(withRecorded(again.run, made)), outcome.run, again.run)
  return { recording: difference === null ? recording : null, notRecorded: difference }
}

// A replay itself costs nothing, and takes no time worth a limit.
function withRecorded(run: AgentRun, { usage, costUsd, durationMs, turns: figures = [] }: Recording): AgentRun {
  const turns = run.turns?.map((turn, index) => {
    const { requests: _, ...recorded } = figures[index] ?? { requests: 0, usage: null, costUsd: null }
    return { ...turn, recorded }
  })
  const recorded = { usage, costUsd, ...(durationMs === undefined ? {} : { durationMs }) }
  return { ...run, recorded, ...(turns === undefined ? {} : { turns }) }
}

// What each turn took, and how many answers of the main thread belong to it.
function figuresOf({ turns }: AgentRun, { threads, prompts = [] }: Conversation): Pick<Recording, 'turns'> {
  if (turns === undefined || prompts.length === 0) return {}
  const main = threads.find(({ thread }) => thread === 'main')?.turns ?? []
  const answered = main.filter(({ answer }) => answer !== null).map(({ order }) => turnAt({ prompts }, order))
  return {
    turns: turns.map(({ usage, costUsd, durationMs }, index) => {
      const requests = answered.filter((turn) => turn === index + 1).length
      return { requests, usage, costUsd, durationMs }
    }),
  }
}

// What a case is graded by although its turns were used up comes out the same again.
function isRecordable(run: AgentRun, outcomeOf: OutcomeOf): boolean {
  return run.status === 'completed' || (run.status === 'limit-reached' && outcomeOf(run).outcome !== 'errored')
}

function makeRecording(prepared: PreparedRun, outcome: AgentOutcome, conversation: Conversation): Recording {
  const { request, source, inputs } = prepared
  const { run, credential } = outcome
  const isScenario = request.source.kind === 'record' && request.source.upstream.kind === 'scenario'
  const now = new Date()
  // As a program in the local time zone prints it.
  const local = new Date(now.getTime() - now.getTimezoneOffset() * 60_000)
  const volatile = [...dayWords(now), ...dayWords(local), release()]
  const facts = {
    recordedAt: now.toISOString(),
    origin: isScenario ? 'scenario' : (run.model ?? 'unknown'),
    engine: { name: run.engine, version: run.engineVersion },
    platform: `${process.platform}-${process.arch}`,
    credential,
    model: {
      given: request.model,
      asked: conversation.threads.find(({ thread }) => thread === 'main')?.turns[0]?.model ?? null,
      observed: run.model,
    },
    usage: run.usage,
    costUsd: run.costUsd,
    durationMs: run.durationMs,
    inputs: inputs.map(({ path, role, hash }) => {
      return { path, role, hash: shortHash(role === 'scenario' ? (source.scenario?.hash ?? hash) : hash) }
    }),
    ...figuresOf(run, conversation),
    hooks: hooksOf(prepared, outcome, volatile),
  }
  return buildRecording(facts, conversation, packageTextsOf(prepared), volatile, formOf(prepared))
}

function formOf({ request }: PreparedRun): ResultForm {
  return createResultForm(request.engine.engine.ownValues ?? [], INSIDE_TOP_FOLDERS)
}

/** A run of which everything is known that can be known before it starts. */
export interface PreparedRun {
  readonly request: AgentRequest
  readonly source: CaseSource
  readonly inputs: readonly Input[]
  /** Hash of what its session sees beyond these. */
  readonly surroundings: string
  /** What is odd about the package and the suite, one sentence each. */
  readonly findings: readonly string[]
}

export interface CaseSource {
  readonly name: ResultSource
  readonly answers: AnswerSource
  /** Model that the engine has to ask for; `null` leaves it to the engine. */
  readonly model: string | null
  /** The scenario, if there is one. */
  readonly scenario: ScenarioFile | null
  /** Absolute path of the case's recording, whether it exists or not. */
  readonly recordingFile: string
  /** The recording that is played; `null` when none is. */
  readonly recording: Recording | null
  /** What to do should the recording prove stale: `null` says that no live run may be made of it. */
  readonly whenStale: RecordLive | null
  /** Who judges again where the question to the judge has changed; `null` when no judge may be asked. */
  readonly rejudge: UpstreamSource | null
  /** Command line that records the case. */
  readonly recordCommand: string
}

interface ScenarioFile {
  /** Absolute path. */
  readonly file: string
  /** Hash of what it says to the agent: a recording of it is stale when this changes. */
  readonly hash: string
}

/** The source and model of a live run that is recorded. */
export interface RecordLive {
  readonly answers: AnswerSource
  readonly model: string | null
}

/** Says how a replay came out otherwise than the run it replays; `null` when it did not. */
function whyDifferent(first: Decision, second: Decision, run: AgentRun, again: AgentRun): string | null {
  if (again.status !== run.status)
    return `the replay ended as ${again.status}${again.problem === null ? '' : `: ${again.problem}`}`
  if (first.outcome !== second.outcome)
    return `the run ${first.outcome} and its replay ${second.outcome}${second.reason === null ? '' : `: ${second.reason}`}`
  if (first.outcome !== 'passed' && first.reason !== second.reason)
    return `the run says ${JSON.stringify(first.reason)} and its replay ${JSON.stringify(second.reason)}`
  return null
}

/** Writes what is new: a recording that was made, and new answers of the judge. A replay that held is left as it is. */
export function keepRecording(
  file: string,
  { recording, replay, folders }: Pick<RecordedOutcome, 'folders' | 'recording' | 'replay'>,
  judge: RecordedJudge | null,
): void {
  if (recording === null || (replay !== null && judge === null)) return
  writeRecording(file, judge === null ? recording : withJudgePart(recording, judge, folders))
}

/** The answers of a recording, as the gateway plays them. */
export function replayAnswers({ credential, lanes: threads, model, origin }: Recording): ReplaySource {
  return {
    kind: 'replay',
    credential,
    model: model.observed ?? origin,
    threads: threads.map(({ lane: thread, given, turns }) => ({
      thread,
      given,
      turns: turns.map(({ answer }) => answer),
    })),
  }
}
