import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { DirectEngine, DirectQuestion, Installation, StreamSummary } from '../engines/engine.ts'
import { isProgram, type FoundEngine } from '../engines/find.ts'
import { describeHanging, explainBroken, unfinishedHooks } from '../engines/hooks/hanging-hooks.ts'
import { parseDecisions } from '../engines/hooks/hook-decisions.ts'
import type { RecordedDecision } from '../engines/hooks/hook-plan.ts'
import { allOf, enginesFor, type Engines } from '../engines/registry.ts'
import { NO_FACTS, message, notice } from '../engines/stream.ts'
import type { ModelReply } from '../gateway/clients/model-call.ts'
import { acquireLease, type AcquiredLease } from '../gateway/control/client.ts'
import type { AnswerSource, LeaseRequest, MeterReading } from '../gateway/leases/lease.ts'
import { createLimit } from '../gateway/pace.ts'
import { findWire } from '../gateway/wires/wires.ts'
import { AgentEvalsError } from '../lib/errors.ts'
import { listEntries, readTextFile } from '../lib/files.ts'
import { mapLeaves } from '../lib/json.ts'
import { readWorkspaceFile } from '../lib/workspace-file.ts'
import type { AgentPackage } from '../packages/package.ts'
import { placeFolders, type SessionFolders } from '../recordings/paths.ts'
import { needsPort } from '../sandbox/decide.ts'
import { NO_PROCESS } from '../sandbox/run.ts'
import type { SkillText } from '../transcript/skill-reads.ts'
import type { AgentRun, FileChanges, UnnumberedEvent } from '../transcript/transcript.ts'
import {
  NO_GATEWAY,
  foldersOf,
  isRecorded,
  nameSession,
  pathRequestOf,
  type AgentOutcome,
  type AgentRequest,
} from './agent-request.ts'
import { buildAgentRun, type SessionEnd } from './build-agent-run.ts'
import { findChanges, walkWorkspace, type Snapshot } from './file-changes.ts'
import { stagePluginCase, withStandIns } from './plugin-session.ts'
import { installationOf, isObserved, pathsOf, runSession, stageSession } from './run-session.ts'
import { turnOf } from './weave-stream.ts'
import { createWorkspace, type Workspace } from './workspace.ts'

/**
 * Runs an engine once: stage, wait for a place, run, kill whatever is left, look at what changed.
 *
 * @throws {AgentEvalsError} when the run cannot be prepared; what goes wrong in the run itself is part of it.
 */
export async function runAgent(agentRequest: AgentRequest): Promise<AgentOutcome> {
  const resumed = (await agentRequest.resume?.()) ?? null
  using turn = { [Symbol.dispose]: await staging.enter(agentRequest.signal) }
  const { keepWorkspace: keep, project } = agentRequest
  const workspace = resumed?.workspace ?? createWorkspace({ keep, project, engines: enginesFor(agentRequest) })
  agentRequest.handOver?.(workspace)
  await using _ = agentRequest.handOver === undefined ? workspace : null
  const request = withStandIns(agentRequest, pathsOf(agentRequest, workspace))
  const installation = installationOf(request, workspace)
  const warnings = resumed === null ? await stageSession(request, workspace, installation) : []
  const notices = resumed === null ? await stagePluginCase(request, workspace) : []
  const before = await walkWorkspace(workspace.workspace)
  const skills = await readInstalledSkills(workspace.workspace, before)
  const decided = resumed === null ? 0 : (await readDecisions(workspace.hooks)).length
  turn[Symbol.dispose]()

  const hookContext = {
    plan: installation.hookPlan,
    isClosed: request.sandbox.backend !== 'none' && !request.suite.config.network,
  }
  const changesSince = (since: Snapshot): Promise<FileChanges> =>
    findChanges(workspace.workspace, since, { ignore: request.engine.engine.litter ?? [] })
  const decidedBefore: number[] = [0]
  const look = async (seen: SessionEnd, hanging: string): Promise<AgentRun> => {
    const decisions = explainBroken((await readDecisions(workspace.hooks)).slice(decided), hookContext)
    const made = buildAgentRun({
      request,
      ended: seen,
      files: await changesSince(before),
      decisions,
      decidedBefore,
      hanging,
      hookPlan: installation.hookPlan,
      isResumed: resumed !== null,
      skills,
      workspace: request.keepWorkspace ? workspace.workspace : null,
    })
    decidedBefore[turns.length + 1] = decisions.length
    return made
  }
  const turns: AgentRun[] = []
  let since = before
  const keepTurn = async (run: AgentRun): Promise<void> => {
    turns.push(turnOf(run, turns, await changesSince(since)))
    await request.collectTurn?.(workspace.workspace, turns.at(-1) ?? run, turns.length)
  }
  const onTurn = async (seen: SessionEnd): Promise<void> => {
    await keepTurn(await look(seen, ''))
    since = await walkWorkspace(workspace.workspace)
  }

  const needed = leaseRequest(request, workspace, installation)
  const lease = await (request.openLease?.(needed) ?? acquireLease(request.controlSocket, needed, request.signal))
  let ended: SessionEnd
  let endedAt = 0
  try {
    request.onStart?.()
    const { engine } = request
    const resume = resumed?.sessionId ?? null
    ended = isProgram(engine)
      ? await runSession({ ...request, engine }, { workspace, installation, lease, resume, skills, onTurn })
      : await askDirectly({ ...request, engine }, lease)
    endedAt = Date.now()
  } finally {
    await lease.release()
  }

  // The place is another run's now, which is started first.
  await nextTurn()
  const started = await readLines(workspace.hooks, 'started.jsonl')
  const unfinished = unfinishedHooks(started, await readLines(workspace.hooks, 'decisions.jsonl'))
  const whole = await look(ended, describeHanging(unfinished, endedAt, hookContext))
  if (request.evalCase.turns !== undefined) await keepTurn(whole)
  const run = turns.length === 0 ? whole : { ...whole, turns }
  await request.collect?.(workspace.workspace, run)
  return {
    run,
    warnings: [
      ...warnings,
      ...notices,
      ...describeRefused(ended.meter),
      ...(ended.unanswered ?? []),
      ...(run.recordNotice === undefined ? [] : [run.recordNotice]),
    ],
    conversation: nameSession(request, workspace, ended.conversation),
    credential: lease.grant.credential,
    stopped: ended.stopped,
    skillsListed: ended.summary.skills,
    differs: ended.differs ?? null,
    folders: foldersOf(request, workspace),
  }
}

// Those that could only wait for a place must not keep the first from theirs.
const staging = createLimit(1)

function leaseRequest(request: AgentRequest, workspace: Workspace, installation: Installation): LeaseRequest {
  const { source, label, endsWith } = request
  const { engine } = request.engine
  const named = findNamedModels(request.package, workspace, enginesFor(request))
  return {
    caseId: label,
    engine: engine.name,
    wire: engine.wire,
    source: expandAnswers(source, foldersOf(request, workspace)),
    models: { own: request.model, named: [...(engine.ownModels ?? []), ...named] },
    network: request.suite.config.network,
    listen: isObserved(request, installation),
    port: isProgram(request.engine) && needsPort(request.sandbox, pathRequestOf(request, workspace, NO_GATEWAY)),
    ...(endsWith === undefined ? {} : { endsWith }),
  }
}

/** Names what the gateway kept from the API, one sentence for the requests and one for their parts. */
function describeRefused({ refused = [], removed = [] }: MeterReading): readonly string[] {
  const requests = refused.map(({ what, times }) => (times === 1 ? what : `${what} (${times} times)`))
  return [
    ...(requests.length === 0 ? [] : [`The gateway refused requests of the session: ${requests.join('; ')}.`]),
    ...(removed.length === 0
      ? []
      : [`The gateway leaves out parts of requests that it does not know: ${removed.join(', ')}.`]),
  ]
}

/** Fills the paths of a session into what it will be answered: answers are written before there is a session. */
export function expandAnswers(source: AnswerSource, folders: SessionFolders): AnswerSource {
  if (source.kind === 'record') return { ...source, upstream: expandScenario(source.upstream, folders) }
  if (source.kind === 'replay') return { ...source, threads: placeFolders(source.threads, folders) }
  return expandScenario(source, folders)
}

/**
 * Replaces `${WORKSPACE}` in a scenario by the workspace as the agent sees it: file tools want absolute paths, and
 * a scenario is written before there is one.
 */
function expandScenario<Upstream extends AnswerSource>(source: Upstream, { workspace }: SessionFolders): Upstream {
  if (source.kind !== 'scenario') return source
  const expand = (leaf: unknown): unknown =>
    typeof leaf === 'string' ? leaf.replaceAll('${WORKSPACE}', workspace) : leaf
  return { ...source, scenario: mapLeaves(source.scenario, expand) }
}

/** Reads the skills that a session will find in its workspace: those of the package, and any other copy. */
async function readInstalledSkills(root: string, { files }: Snapshot): Promise<readonly SkillText[]> {
  const skills = new Map<string, SkillText>()
  for (const path of files.keys()) {
    const folder = PLACE.exec(path)?.[1]
    if (folder === undefined || skills.size >= MOST) continue
    const read = await readWorkspaceFile(root, path, MOST_BYTES)
    if (read.status !== 'read') continue
    const text = read.bytes.toString('utf8')
    const name = NAME.exec(text)?.[1]?.trim() ?? folder
    if (!skills.has(name)) skills.set(name, { name, folder, text })
  }
  return [...skills.values()]
}

const PLACE = /(?:^|\/)skills\/([^/]+)\/SKILL\.md$/
const NAME = /^---\r?\n(?:(?!---)[^\n]*\n)*?name:[ \t]*["']?([^"'\n]+?)["']?[ \t]*\r?\n/
const MOST = 500
const MOST_BYTES = 256 * 1024

/**
 * Ids and aliases of models that a package names for its parts: agents, skills, commands and prompt hooks. They are read
 * from the parts as staged for the engine and as the package has them. A session that goes on may ask the models of its
 * first run: what it has written since names none.
 */
export function findNamedModels(
  pkg: Pick<AgentPackage, 'root'>,
  workspace: Workspace,
  engines?: Engines,
): readonly string[] {
  const earlier = NAMED.get(workspace)
  if (earlier !== undefined) return earlier
  const ofEngines = allOf('modelFolders', engines)
  const folders = [
    ...ofEngines.map((folder) => join(workspace.workspace, folder)),
    ...[...ofEngines, ...PARTS].map((folder) => join(pkg.root, folder)),
  ]
  const texts = folders.flatMap((folder) => textsBelow(folder, MAX_DEPTH))
  const found = [...new Set(texts.flatMap(modelsIn))]
  NAMED.set(workspace, found)
  return found
}

const NAMED = new WeakMap<Workspace, readonly string[]>()
const PARTS = ['agents', 'commands', 'hooks', 'skills']
const MAX_DEPTH = 6
const MAX_BYTES = 256 * 1024

function textsBelow(folder: string, depth: number): readonly string[] {
  return listEntries(folder).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return depth > 0 && entry.name !== 'node_modules' ? textsBelow(path, depth - 1) : []
    const isText = entry.isFile() && /\.(?:md|json|toml|ya?ml)$/.test(entry.name)
    return isText && lstatSync(path).size <= MAX_BYTES ? [readTextFile(path)] : []
  })
}

/** Values of fields called `model`, in YAML, JSON and TOML. */
function modelsIn(text: string): readonly string[] {
  return Array.from(
    text.matchAll(/(?:^|[\s{,])["']?model["']?\s*[:=]\s*["']?([\w.:/@[\]-]+)/gm),
    ([, name = '']) => name,
  )
}

/**
 * Reads what the hook shim recorded. The agent could write there too, so it is read as untrusted.
 *
 * @throws {AgentEvalsError} `workspace-failed` when the file was replaced by something else.
 */
async function readDecisions(hooks: string): Promise<readonly RecordedDecision[]> {
  return parseDecisions(await readLines(hooks, 'decisions.jsonl'))
}

async function readLines(hooks: string, file: string): Promise<string> {
  const read = await readWorkspaceFile(hooks, file, MOST_DECISION_BYTES)
  if (read.status === 'missing') return ''
  if (read.status === 'read') return read.bytes.toString('utf8')
  throw new AgentEvalsError(
    'workspace-failed',
    `The decisions of the hooks cannot be read: ${file} ${read.reason}. Something in the session replaced it.`,
  )
}

const MOST_DECISION_BYTES = 16 * 1024 * 1024

/** Runs a case on an engine without a program: asks the API once. */
export async function askDirectly(
  request: Omit<AgentRequest, 'engine'> & { readonly engine: FoundEngine<DirectEngine> },
  lease: AcquiredLease,
): Promise<SessionEnd> {
  const { engine } = request.engine
  const question = engine.question({ ...request.evalCase, package: request.package })
  const deadline = AbortSignal.timeout(request.deadlineMs)
  const called = AbortSignal.any([request.signal, lease.signal])
  const startedAt = performance.now()
  const reply = await ask(request, question, lease, AbortSignal.any([called, deadline]))
  const { kind } = reply
  return {
    result: {
      ...NO_PROCESS,
      exitCode: kind === 'text' ? 0 : null,
      timedOut: deadline.aborted && kind !== 'text',
      aborted: called.aborted,
      durationMs: performance.now() - startedAt,
    },
    events: eventsOf(question, reply),
    summary: summarize(reply),
    meter: await lease.meter(),
    conversation: isRecorded(request.source) ? await lease.conversation() : null,
    stopped: false,
  }
}

async function ask(
  { model, engine }: { readonly model: string | null; readonly engine: FoundEngine<DirectEngine> },
  { system, user }: DirectQuestion,
  { grant }: AcquiredLease,
  signal: AbortSignal,
): Promise<Reply> {
  const call = { model: model ?? '', system, user, maxTokens: MOST_TOKENS, temperature: null, schema: null }
  try {
    return await findWire(engine.engine.wire).ask(grant, call, signal)
  } catch (error) {
    // An unexpected error is a crash of the run, and keeps its stack trace.
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return { kind: 'crashed', problem: text }
  }
}

type Reply = ModelReply | { readonly kind: 'crashed'; readonly problem: string }

/** The most that the API answers in one piece. */
const MOST_TOKENS = 16_384

function eventsOf({ shown }: DirectQuestion, reply: Reply): readonly UnnumberedEvent[] {
  const told = shown.length === 0 ? '' : `The model was shown: ${shown.join(', ')}`
  return [...notice(told), ...message(reply.kind === 'text' ? reply.text : '')]
}

function summarize(reply: Reply): StreamSummary {
  const text = reply.kind === 'text' ? reply.text : ''
  return { ...endingOf(reply), ...NO_FACTS, output: text, finalMessage: text }
}

function endingOf(reply: Reply): Pick<StreamSummary, 'problem' | 'status'> {
  if (reply.kind !== 'text')
    return { status: reply.kind === 'crashed' ? 'crashed' : 'api-error', problem: reply.problem }
  if (reply.stop !== 'max-tokens') return { status: 'completed', problem: null }
  // Not a constant: the first number that is formatted loads a locale, and each worker would load it for nothing.
  return { status: 'limit-reached', problem: `The answer was cut off at ${MOST_TOKENS.toLocaleString('en')} tokens.` }
}
