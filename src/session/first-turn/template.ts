import { randomBytes, randomUUID } from 'node:crypto'
import type { FirstTurnRules } from '../../engines/engine.ts'
import { acquireLease, askPrepared, type AcquiredLease } from '../../gateway/control/client.ts'
import {
  SESSION_ID,
  bodyOf,
  cachedPart,
  findDifference,
  type FirstRequest,
} from '../../gateway/first-turn/first-turn.ts'
import type { LeaseRequest } from '../../gateway/leases/lease.ts'
import type { ErrorCode } from '../../lib/errors.ts'
import { stringsIn, type JsonValue } from '../../lib/json.ts'
import { sha256OfJson } from '../../lib/sha256.ts'
import { withoutSpace } from '../../lib/text.ts'
import type { AgentRun, UnnumberedEvent } from '../../transcript/transcript.ts'
import type { AgentRequest } from '../agent-request.ts'
import { runAgent } from '../run-agent.ts'

/** The first request of a session that was started only to see it: no model was asked. */
interface CapturedStart {
  readonly request: FirstRequest
  /** What its session asked the gateway for. */
  readonly leaseRequest: LeaseRequest
  /** Resolves when nothing of its session is left; never rejects. */
  readonly over: Promise<void>
  /** What its hooks had done until then; resolves with `over`. */
  readonly hooks: Promise<readonly HookEvent[]>
}

type HookEvent = Extract<UnnumberedEvent, { kind: 'hook' }>

/**
 * Starts a session, keeps its first request and ends it. Resolves at the request: the session ends behind it. `onStart` is
 * called when its program starts.
 */
function captureStart(
  request: AgentRequest,
  prompt: string,
  onStart: () => void = () => {},
): Promise<CapturedStart | NoTemplate> {
  const { collect: _collect, onStart: _onStart, handOver: _handOver, endsWith: _endsWith, ...rest } = request
  const seen = new AbortController()
  return new Promise((resolve, reject) => {
    const openLease = async (leaseRequest: LeaseRequest): Promise<AcquiredLease> => {
      const held = { ...leaseRequest, firstTurn: 'hold' as const }
      const lease = await acquireLease(request.controlSocket, held, request.signal)
      const take = (found: FirstRequest | null): void => {
        // Its session ends without a request, and says why.
        if (found === null) return
        seen.abort()
        if (found.thread === 'main')
          resolve({ request: found, leaseRequest, over, hooks: ended.then((run) => hooksOf(run, found)) })
        else resolve({ problem: `a session first sent a request of its own (${found.thread})` })
      }
      void lease.firstRequest().then(take, () => {})
      return lease
    }
    const signal = AbortSignal.any([request.signal, seen.signal])
    const session = runAgent({ ...rest, evalCase: { ...request.evalCase, prompt }, signal, openLease, onStart })
    const ended = session.then(
      ({ run }) => {
        if (request.signal.aborted) reject(request.signal.reason as Error)
        // Each full session would take as long to come to the same end.
        else if (run.status === 'timed-out') resolve({ problem: run.problem ?? run.status, code: 'timed-out' })
        else resolve({ problem: `a session sent no request: ${run.problem ?? run.status}` })
        return run
      },
      (error: unknown) => {
        reject(error)
        return null
      },
    )
    const over = ended.then(() => {})
  })
}

// The request shows what the model got: nothing else was asked before.
function hooksOf(run: AgentRun | null, { body }: FirstRequest): readonly HookEvent[] {
  const texts = stringsIn(JSON.parse(body) as JsonValue).map(withoutSpace)
  return (run?.transcript ?? []).flatMap((event) => {
    if (event.kind !== 'hook') return []
    const { n: _n, told, ...hook } = event
    const seen = told?.map((words) => {
      const toldText = withoutSpace(words.text)
      return { ...words, reachedModel: toldText !== '' && texts.some((text) => text.includes(toldText)) }
    })
    return [seen === undefined ? hook : { ...hook, told: seen }]
  })
}

/** A first request from which those of other queries are made. */
export interface Template extends Pick<CapturedStart, 'leaseRequest' | 'over' | 'request'> {
  /** Text of the query that it was sent for. */
  readonly prompt: string
  /** Ids in it that each session makes up. */
  readonly ids: readonly string[]
  /** Skills that it offers. */
  readonly offered: readonly string[]
  /** What the hooks did that ran before it. */
  readonly hooks: readonly HookEvent[]
  /** Whether it is for its own query alone, because a hook sees each prompt. */
  readonly isOwn: boolean
}

/** A template as the runs of one process use it. */
export interface UsedTemplate extends Template {
  readonly fill: FillRequest
  /** What its requests share in the prompt cache of an API. */
  readonly cached: string
  /** What comparing a query with a session of its own came to, by its text. */
  readonly compared: Map<string, Promise<string | null>>
}

/** Why there is no template. */
interface NoTemplate {
  readonly problem: string
  /** Code of the error that it is for every run; absent where full sessions can do without. */
  readonly code?: ErrorCode
}

/** What a template is shared by. */
export interface TemplateScope {
  /** Hash of everything but the prompt that a first request is made from. */
  readonly key: string
  /** Texts of further queries. */
  readonly others: readonly string[]
}

/** What a template is made for and with. */
export interface TemplateMaking {
  readonly request: AgentRequest
  readonly rules: FirstTurnRules
  readonly scope: TemplateScope
  /** Called when the program of a session starts. */
  readonly onStart?: () => void
}

/** How a first request is got, and what the date is: both are for tests to replace. */
export interface TemplateTools {
  readonly capture: typeof captureStart
  readonly now: () => Date
}

/** Real sessions, and today. */
const REAL_TOOLS: TemplateTools = { capture: captureStart, now: () => new Date() }

/** The template of all queries of a scope: made by the main process ahead of time, or by this one. */
export function templateOf(making: TemplateMaking): Promise<NoTemplate | UsedTemplate> {
  const name = templateName(making)
  return once(templates, name, async () => {
    const found = await findTemplate(making, name)
    return 'problem' in found ? found : useTemplate(found)
  })
}

function once<Made>(all: Map<string, Promise<Made>>, name: string, make: () => Promise<Made>): Promise<Made> {
  const earlier = all.get(name)
  if (earlier !== undefined) return earlier
  const made = make()
  all.set(name, made)
  // A start that was called off says nothing to those that come later.
  void made.catch(() => all.delete(name))
  return made
}

const templates = new Map<string, Promise<NoTemplate | UsedTemplate>>()

async function findTemplate(making: TemplateMaking, name: string): Promise<NoTemplate | Template> {
  const { controlSocket, signal } = making.request
  const prepared = await askPrepared(controlSocket, name, signal)
  if (prepared === null) return makeTemplate(making)
  // The main process wrote it, and it ends the sessions.
  return { ...(prepared as NoTemplate | Template), over: Promise.resolve() }
}

/** Gets a template ready for the runs of this process. */
export function useTemplate(template: Template): UsedTemplate {
  return { ...template, fill: compileRequest(template), cached: cachedPart(template.request), compared: new Map() }
}

/** The name by which processes know a template. */
export function templateName(making: TemplateMaking, tools: TemplateTools = REAL_TOOLS): string {
  const { request, scope } = making
  const ownPrompt = changes(making, 'prompt') ? [request.evalCase.prompt] : []
  return sha256OfJson([scope.key, request.model, days(tools), ...ownPrompt])
}

function changes(
  { request, rules }: Pick<TemplateMaking, 'request' | 'rules'>,
  ...what: readonly ReturnType<FirstTurnRules['hookChanges']>[]
): boolean {
  return request.package.hookGroups.some(({ event }) => what.includes(rules.hookChanges(event)))
}

/** Makes a template from two starts of the CLI that must show the same. */
export async function makeTemplate(
  making: TemplateMaking,
  tools: TemplateTools = REAL_TOOLS,
): Promise<NoTemplate | Template> {
  const { request, rules, scope, onStart } = making
  const { prompt } = request.evalCase
  const isOwn = changes(making, 'prompt')
  const further = scope.others.filter((text) => text !== prompt && rules.dependsOn(text) === null)
  const other = further[Math.floor(Math.random() * further.length)] ?? (prompt === NEUTRAL ? OTHER_NEUTRAL : NEUTRAL)
  const second = isOwn ? prompt : other
  const day = days(tools)
  const [left, right] = await Promise.all([
    tools.capture(request, prompt, onStart),
    tools.capture(request, second, onStart),
  ])
  const over = Promise.all([left, right].flatMap((one) => ('over' in one ? [one.over] : []))).then(() => {})
  // Requests tell the date.
  if (days(tools) !== day) return over.then(() => makeTemplate(making, tools))
  if ('problem' in left) return over.then(() => left)
  if ('problem' in right) return over.then(() => right)
  const problem = findProblem([left.request, prompt], [right.request, second])
  if (problem !== null) return over.then(() => ({ problem }))
  const ids = idsOf(left.request).filter((one) => !idsOf(right.request).includes(one))
  const offered = rules.offers(bodyOf(left.request))
  const hooks = changes(making, 'prompt', 'start') ? await left.hooks : []
  const running = findRunning(making, hooks)
  if (running !== null) return over.then(() => ({ problem: `a request came before a hook of ${running} had ended` }))
  return { request: left.request, leaseRequest: left.leaseRequest, over, prompt, ids, offered, hooks, isOwn }
}

/**
 * The event of a hook that was still running; `null` for none. The CLI sends its request when these have ended: one that
 * comes earlier is a hook's own.
 */
function findRunning({ request, rules }: TemplateMaking, hooks: readonly HookEvent[]): string | null {
  const before = request.package.hookGroups.filter(({ event, matcher }) => {
    const when = rules.hookChanges(event)
    return when === 'prompt' || (when === 'start' && matcher === null)
  })
  const events = new Set(before.map(({ event }) => event))
  for (const event of events) {
    const planned = before.flatMap((group) => (group.event === event ? group.hooks : []))
    const commands = planned.filter((hook) => hook.type === 'command' && hook.fields === undefined)
    if (hooks.filter((one) => one.event === event).length < commands.length) return event
  }
  return null
}

function findProblem(
  [left, ofLeft]: readonly [FirstRequest, prompt: string],
  [right, ofRight]: readonly [FirstRequest, prompt: string],
): string | null {
  if (!holds(left, ofLeft)) return 'the first request does not contain the prompt as a separate text'
  const difference = findDifference(left, right, [{ prompt: ofLeft }, { prompt: ofRight }])
  return difference === null ? null : `the first requests of two sessions differ in ${difference}`
}

/** The first request that a session of another query would send. */
export function fillTemplate({ fill, ids }: UsedTemplate, text: string): FirstRequest {
  return fill(
    text,
    ids.map((id) => (id.length === UUID_LENGTH ? randomUUID() : randomBytes(32).toString('hex'))),
  )
}

function holds({ body }: FirstRequest, prompt: string): boolean {
  let found = false
  JSON.parse(body, (_name, value: unknown) => {
    found ||= value === prompt
    return value
  })
  return found
}

function idsOf({ body, headers }: FirstRequest): readonly string[] {
  return [...new Set([body, ...Object.values(headers)].flatMap((text) => text.match(SESSION_ID) ?? []))]
}

// A session may take its date from either.
function days({ now }: TemplateTools): string {
  const date = now()
  return `${date.toDateString()} ${date.toISOString().slice(0, 10)}`
}

const UUID_LENGTH = 36

/** For a scope that has one query only. */
const NEUTRAL = 'Which files are in this folder?'
const OTHER_NEUTRAL = 'How many files are in this folder?'

/** Fills the gaps of a request: its prompt, and the ids that each session makes up, in the order of those they replace. */
type FillRequest = (prompt: string, ids: readonly string[]) => FirstRequest

/** Cuts a request at its prompt and its ids, once for all that are made from it. */
function compileRequest({ request, prompt, ids }: Pick<Template, 'ids' | 'prompt' | 'request'>): FillRequest {
  const mark = (text: string): string =>
    ids.reduce((rest, id, index) => rest.replaceAll(id, `${GAP}${index + 1};`), text)
  const marked = JSON.stringify(JSON.parse(request.body), (_name, value: unknown) => {
    if (typeof value !== 'string') return value
    return value === prompt ? `${GAP}0;` : mark(value)
  })
  const pieces = marked.split(WRITTEN_GAP)
  const headers = Object.entries(request.headers).map(([name, value]) => [name, mark(value).split(PLAIN_GAP)] as const)
  return (text, fresh) => {
    const values = [JSON.stringify(text).slice(1, -1), ...fresh]
    return {
      ...request,
      headers: Object.fromEntries(headers.map(([name, parts]) => [name, join(parts, values)])),
      body: join(pieces, values),
    }
  }
}

// Every second piece is the number of what comes there.
function join(pieces: readonly string[], values: readonly string[]): string {
  return pieces.map((piece, index) => (index % 2 === 0 ? piece : (values[Number(piece)] ?? ''))).join('')
}

// No request holds this control character by itself.
const GAP = '\u0000'
const WRITTEN_GAP = /\\u0000(\d+);/
// eslint-disable-next-line no-control-regex
const PLAIN_GAP = /\u0000(\d+);/

/**
 * Compares the request of a query's probe with that of a session of its own, once for all its runs, and says where they
 * differ. A recording decides for months, so what holds for other queries is not enough.
 */
export function compareStart(
  request: AgentRequest,
  template: UsedTemplate,
  tools: TemplateTools = REAL_TOOLS,
): Promise<string | null> {
  return once(template.compared, request.evalCase.prompt, () => compare(request, template, tools))
}

async function compare(
  request: AgentRequest,
  template: UsedTemplate,
  { capture }: TemplateTools,
): Promise<string | null> {
  const { prompt } = request.evalCase
  const start = await capture(request, prompt)
  if ('problem' in start) return start.problem
  await start.over
  const difference = findDifference(fillTemplate(template, prompt), start.request)
  return difference === null ? null : `the first request of its session differs from the probe in ${difference}`
}
