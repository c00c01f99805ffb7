import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import type { FirstAnswer, FirstBlock, FirstDecision, FirstTurnRules } from '../../engines/engine.ts'
import { NO_FACTS } from '../../engines/stream.ts'
import { sumCost, sumUsage } from '../../gateway/budget/spending.ts'
import { acquireLease, type AcquiredLease } from '../../gateway/control/client.ts'
import type { FirstRequest, StoredAnswer } from '../../gateway/first-turn/first-turn.ts'
import type { CredentialKind, LeaseGrant, MeterReading } from '../../gateway/leases/lease.ts'
import { responseHeaders } from '../../gateway/model-server.ts'
import { isStop } from '../../lib/errors.ts'
import { readTextFile } from '../../lib/files.ts'
import { findMatch } from '../../lib/patterns.ts'
import type { AgentPackage } from '../../packages/package.ts'
import type { Conversation } from '../../recordings/conversation.ts'
import { backends } from '../../sandbox/decide.ts'
import { NO_PROCESS } from '../../sandbox/run.ts'
import { plainName } from '../../transcript/select.ts'
import type { AgentRun, UnnumberedEvent } from '../../transcript/transcript.ts'
import { expandAnswers, foldersOf, nameSession, type AgentOutcome, type AgentRequest } from '../agent-request.ts'
import { buildAgentRun } from '../build-agent-run.ts'
import { runAgent } from '../run-agent.ts'
import { compareStart, fillTemplate, type Template, type TemplateScope, type UsedTemplate } from './template.ts'

/** What a probe is made and read by. */
export interface ProbeTools {
  readonly rules: FirstTurnRules
  readonly template: UsedTemplate
  readonly plan: FirstTurnPlan
}

/** Asks for the first turn alone, and lets a session go on from it where it decides nothing. */
export async function probe(request: AgentRequest, tools: ProbeTools): Promise<AgentOutcome> {
  const { template } = tools
  const sent = fillTemplate(template, request.evalCase.prompt)
  const differs = request.source.kind === 'record' && !template.isOwn ? await compareStart(request, template) : null
  if (differs !== null) return { ...(await runAgent(shareCache(request))), decided: { by: 'full', because: differs } }
  const source = expandAnswers(request.source, foldersOf(request, { root: '' }))
  const leaseRequest = {
    ...template.leaseRequest,
    caseId: request.label,
    source,
    firstTurn: 'probe' as const,
    ...(request.endsWith === undefined ? {} : { mayEnd: true as const }),
    cached: template.cached,
  }
  const lease = await acquireLease(request.controlSocket, leaseRequest, request.signal)
  const release = (): void => void lease.release()
  request.signal.addEventListener('abort', release, { once: true })
  try {
    request.onStart?.()
    const startedAt = performance.now()
    const deadline = AbortSignal.timeout(request.deadlineMs)
    const reply = await sendProbe(lease.grant, sent, AbortSignal.any([request.signal, lease.signal, deadline]))
    const timedOut = deadline.aborted && reply?.isCut !== false
    const { answer, decision } = readReply(reply, tools, request.package)
    const durationMs = performance.now() - startedAt
    const goesOn = decision.kind === 'undecided' && !timedOut && !request.signal.aborted
    // After a problem that stops a run its session would meet the same end at once.
    if (goesOn && !(await lease.meter()).problems.some(isStop)) {
      const stored = reply === null || reply.isTooLarge ? null : storeReply(reply, answer)
      return await goOn(request, { lease, sent, stored, because: decision.because, durationMs })
    }

    const { credential } = lease.grant
    const { meter, conversation } = await lease.finish()
    return probeOutcome(request, { template, answer, decision, meter, conversation, credential, durationMs, timedOut })
  } finally {
    request.signal.removeEventListener('abort', release)
    await lease.release()
  }
}

/** Reads what came back for a first request, and decides by it. */
export function readReply(
  reply: ProbeReply | null,
  { rules, template, plan }: ProbeTools,
  pkg: AgentPackage,
): Pick<ProbeEnd, 'answer' | 'decision'> {
  const answer = reply !== null && isWhole(reply) ? rules.read(reply.contentType, reply.bytes) : null
  if (answer !== null) return { answer, decision: decideAnswer(rules, answer, template.offered, pkg, plan) }
  return { answer, decision: undecided(reply?.isTooLarge === true ? TOO_LARGE : 'the API gave no complete answer') }
}

// A session decodes what it did not ask to be compressed, or fails at it: that is its own matter.
function isWhole({ status, headers, isCut, isTooLarge }: ProbeReply): boolean {
  const isPlain = (headers['content-encoding'] ?? []).every((coding) => coding === 'identity')
  return status === 200 && isPlain && !isCut && !isTooLarge
}

const TOO_LARGE = 'the answer is larger than 4 MiB, which is too large to keep'

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
  const { differs, run } = session
  const later = { ...run, durationMs: run.durationMs + Math.round(durationMs) }
  if (differs === null) return { ...session, run: later, decided: { by: 'probe+full', because } }
  const anew = await runAgent(shareCache(rest))
  const why = `${because}; and the first request of its session differs from the probe in ${differs}, so the model was asked again`
  return { ...anew, run: withSpending(anew.run, run), decided: { by: 'full', because: why } }
}

/** What came back for a first request. */
export interface ProbeReply {
  readonly status: number
  readonly headers: Readonly<Record<string, readonly string[]>>
  readonly contentType: string
  readonly bytes: Buffer
  /** Whether it broke off. */
  readonly isCut: boolean
  /** Whether it is more than is kept of an answer: none of it is then. */
  readonly isTooLarge: boolean
}

/** Sends a first request to the gateway as its session would; `null` when nothing came back. */
export async function sendProbe(
  { socket, token }: LeaseGrant,
  { path, headers, body }: FirstRequest,
  signal: AbortSignal,
): Promise<ProbeReply | null> {
  const allHeaders = {
    ...headers,
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  }
  const outgoing = httpRequest({ socketPath: socket, method: 'POST', path, headers: allHeaders, agent: false, signal })
  outgoing.end(body)
  const incoming = await once(outgoing, 'response').then(
    ([response]) => response as IncomingMessage,
    () => null,
  )
  if (incoming === null) return null
  const read = await readAll(incoming)
  const { 'content-length': _length, ...kept } = responseHeaders(incoming.headersDistinct, token)
  const contentType = incoming.headers['content-type'] ?? ''
  return { status: incoming.statusCode ?? 502, headers: kept, contentType, ...read }
}

/** A reply as a session after the probe gets it; `answer` is the same, read. */
export function storeReply(
  { status, headers, bytes, isCut }: ProbeReply,
  answer: Pick<FirstAnswer, 'message'> | null,
): StoredAnswer {
  return { status, headers, isCut, body: bytes.toString('base64'), message: answer?.message ?? null }
}

// The gateway ends what is larger than any answer. Many probes at once keep less.
async function readAll(incoming: IncomingMessage): Promise<Pick<ProbeReply, 'bytes' | 'isCut' | 'isTooLarge'>> {
  let chunks: Buffer[] = []
  let size = 0
  let isCut = false
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size <= MAX_KEPT_BYTES) chunks.push(chunk)
      else chunks = []
    }
  } catch {
    isCut = true
  }
  return { bytes: Buffer.concat(chunks), isCut, isTooLarge: size > MAX_KEPT_BYTES }
}

/** Some ten thousand words, each as an event of its own. */
const MAX_KEPT_BYTES = 4 * 1024 * 1024

/** What is known of a run when its first turn is over. */
interface ProbeEnd {
  readonly template: Pick<Template, 'hooks' | 'offered'>
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
export function probeOutcome(request: AgentRequest, end: ProbeEnd): AgentOutcome {
  const { answer, decision, meter, template, timedOut, durationMs } = end
  const because = decision.kind === 'undecided' ? decision.because : null
  const texts = (answer?.blocks ?? []).flatMap((block) => (block.kind === 'text' ? [block.text] : [])).join('\n')
  const run = buildAgentRun({
    request,
    ended: {
      result: { ...NO_PROCESS, timedOut, aborted: request.signal.aborted, durationMs },
      stream: [...template.hooks, ...(answer?.blocks ?? []).flatMap(eventOf), ...usedBy(decision), notice(decision)],
      summary: {
        status: because === null ? 'completed' : 'api-error',
        problem: because === null ? null : `The first turn does not decide this run: ${because}.`,
        ...NO_FACTS,
        output: texts,
        finalMessage: texts,
        skills: template.offered,
      },
      meter,
      conversation: null,
      stopped: decision.kind === 'called',
    },
    files: { created: [], modified: [], deleted: [], unreadable: [] },
    decisions: [],
    hookPlan: { packageRoot: '', hooks: [] },
    skills: [],
    workspace: null,
  })
  return {
    run,
    warnings: [],
    conversation: nameSession(request, { root: '' }, end.conversation),
    credential: end.credential,
    stopped: decision.kind === 'called',
    skillsListed: template.offered,
    differs: null,
    folders: foldersOf(request, { root: '' }),
    decided: { by: 'probe', because },
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
      ? `The first model turn does not decide this run, and no session follows it: ${decision.because}.`
      : 'The first model turn decided this run: no session was started for it.'
  return { kind: 'notice', agent: null, text }
}

/**
 * What a first answer decides about a query: nothing where the rest of the session could still change it, such as after the
 * call of another skill, or where a hook runs.
 */
export function decideAnswer(
  rules: FirstTurnRules,
  answer: FirstAnswer,
  offered: readonly string[],
  { skills, hookGroups }: Pick<AgentPackage, 'hookGroups' | 'skills'>,
  { isSubject }: Pick<FirstTurnPlan, 'isSubject'>,
): FirstDecision {
  const decision = rules.decide(answer, offered)
  if (decision.kind === 'undecided') return decision
  const changes = decision.kind === 'called' ? 'call' : 'end'
  const hook = hookGroups.find(
    ({ event, matcher }) => rules.hookChanges(event) === changes && (changes === 'end' || mayName(matcher, rules)),
  )
  if (hook !== undefined) return undecided(`the package has a hook of ${hook.event}`)
  if (decision.kind === 'ended') return decision
  const { skill } = decision
  if (!isSubject(skill)) return undecided(`the model first called another skill, ${skill}`)
  const found = skills.find(({ name }) => name === plainName(skill))
  if (found === undefined) return undecided(`the skill ${skill} is not part of the package`)
  if (found.hiddenFrom === 'model') return undecided(`the model may not call the skill ${skill}`)
  const why = rules.mayFail(readTextFile(found.file))
  return why === null ? decision : undecided(`the call of the skill ${skill} may do more than load it: ${why}`)
}

// Engines differ in whether a matcher must match the name as a whole, so a part is enough.
function mayName(matcher: string | null, { skillTool }: FirstTurnRules): boolean {
  const found = matcher === null ? null : findMatch(matcher, '', skillTool)
  return found === null || !('found' in found) || found.found !== null
}

function undecided(because: string): FirstDecision {
  return { kind: 'undecided', because }
}

/** How a run of a trigger query is to be decided. */
export interface FirstTurnPlan extends TemplateScope {
  readonly mode: 'auto' | 'full'
  /** Paths that the inputs of the query have in their own folders. */
  readonly overlayPaths: readonly string[]
  /** Whether the use of a skill decides the query. */
  readonly isSubject: (skill: string) => boolean
  /** Tells the other arm of the query that this one may ask, and waits for it; absent where there is one arm. */
  readonly otherArm?: () => Promise<void>
}

/** Why a run of a query has to be a full session; `null` when its first turn may decide it. */
export function whyFull(
  { engine: { engine }, sandbox, evalCase, package: pkg, resume }: AgentRequest,
  rules: FirstTurnRules | undefined,
  { overlayPaths }: Pick<FirstTurnPlan, 'overlayPaths'>,
): string | null {
  if (rules === undefined) return `other queries cannot share the first request of ${engine.name}`
  if (resume !== undefined) return 'it continues another session'
  if (sandbox.backend === 'none' || backends[sandbox.backend].hasFixedFolders !== true)
    return `each session has its folders at other paths (sandbox: ${sandbox.backend})`
  if (pkg.mcpServers.length > 0) return 'the package has MCP servers, which a first request lists as they come up'
  const hook = pkg.hookGroups.find(({ event }) => rules.hookChanges(event) === 'request')
  if (hook !== undefined) return `the package has a hook of ${hook.event}, which may change the first request`
  const settings = overlayPaths.find((path) => rules.isSettings(path))
  if (settings !== undefined) return `the overlay has ${settings}, which may contain hooks`
  const shown = [...evalCase.files, ...evalCase.workspaceFiles].find(({ to }) => rules.shows(to))
  if (shown !== undefined) return `the first request may show the query's own file ${shown.to}`
  return rules.dependsOn(evalCase.prompt)
}

/** A full session beside first turns: it waits for those that fill the prompt cache, so that it adds no cost. */
export function shareCache(request: AgentRequest): AgentRequest {
  const { controlSocket, signal } = request
  return {
    ...request,
    openLease: (leaseRequest) => acquireLease(controlSocket, { ...leaseRequest, sharesCache: true }, signal),
  }
}

/** A run with what another one has used beside it. */
export function withSpending(
  run: AgentRun,
  other: Pick<AgentRun, 'costUsd' | 'durationMs' | 'requests' | 'usage'>,
): AgentRun {
  return {
    ...run,
    usage: sumUsage([run.usage, other.usage]),
    costUsd: sumCost([run.costUsd, other.costUsd]),
    requests: run.requests + other.requests,
    durationMs: run.durationMs + other.durationMs,
  }
}
