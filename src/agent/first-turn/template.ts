import { randomBytes, randomUUID } from 'node:crypto'
import { askPrepared } from '../../gateway/control/client.ts'
import { bodyOf, cachedPart, findDifference, SESSION_ID } from '../../gateway/first-turn/first-request.ts'
import { sha256OfJson } from '../../sha256.ts'
import { captureStart, type CapturedStart } from './capture.ts'
import { compileRequest, type CompiledRequest } from './compile-request.ts'
import type { FirstTurnRules } from '../../engines/first-turn.ts'
import type { FirstRequest } from '../../gateway/first-turn/first-request.ts'
import type { AgentRequest } from '../agent-request.ts'

/** A first request from which those of other queries are made. */
export interface Template extends Pick<CapturedStart, 'asked' | 'over' | 'request'> {
  /** Text of the query that it was sent for. */
  readonly prompt: string
  /** Ids in it that each session makes up. */
  readonly ids: readonly string[]
  /** Skills that it offers. */
  readonly offered: readonly string[]
}

/** A template as the runs of one process use it. */
export interface UsedTemplate extends Template {
  readonly compiled: CompiledRequest
  /** What its requests share in the prompt cache of an API. */
  readonly cached: string
  /** What comparing a query with a session of its own came to, by its text. */
  readonly compared: Map<string, Promise<string | null>>
}

/** Why there is no template. */
export interface NoTemplate {
  readonly problem: string
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
export const REAL_TOOLS: TemplateTools = { capture: captureStart, now: () => new Date() }

/** The template of all queries of a scope: made by the main process ahead of time, or by this one. */
export function templateOf(making: TemplateMaking): Promise<NoTemplate | UsedTemplate> {
  const name = templateName(making)
  const known = templates.get(name)
  if (known !== undefined) return known
  const made = findTemplate(making, name).then((found) => ('problem' in found ? found : useTemplate(found)))
  templates.set(name, made)
  // A start that was called off says nothing to those that come later.
  void made.catch(() => templates.delete(name))
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
  return { ...template, compiled: compileRequest(template), cached: cachedPart(template.request), compared: new Map() }
}

/** The name by which processes know a template. */
export function templateName({ request, scope }: TemplateMaking, tools: TemplateTools = REAL_TOOLS): string {
  return sha256OfJson([scope.key, request.model, startsFor(request), days(tools)])
}

// What is only replayed is compared with its recording, so it takes one start.
function startsFor({ source }: AgentRequest): 1 | 2 {
  return source.kind === 'replay' ? 1 : 2
}

/** Makes a template: from two starts of the CLI that must show the same, or from one for replays. */
export async function makeTemplate(
  making: TemplateMaking,
  tools: TemplateTools = REAL_TOOLS,
): Promise<NoTemplate | Template> {
  const { request, rules, scope, onStart } = making
  const { prompt } = request.evalCase
  const further = scope.others.filter((text) => text !== prompt && rules.dependsOn(text) === null)
  const second = further[Math.floor(Math.random() * further.length)] ?? (prompt === NEUTRAL ? OTHER_NEUTRAL : NEUTRAL)
  const day = days(tools)
  const asked = startsFor(request) === 1 ? [prompt] : [prompt, second]
  const starts = await Promise.all(asked.map((text) => tools.capture(request, text, onStart)))
  const over = Promise.all(starts.flatMap((one) => ('over' in one ? [one.over] : []))).then(() => {})
  // Requests tell the date.
  if (days(tools) !== day) return over.then(() => makeTemplate(making, tools))
  const [left, right] = starts.flatMap((one) => ('problem' in one ? [] : [one]))
  const problem =
    starts.find((one) => 'problem' in one)?.problem ?? findProblem(left?.request, right?.request, [prompt, second])
  if (left === undefined || problem !== null) return over.then(() => ({ problem: problem ?? 'no session was started' }))
  const ids = right === undefined ? [] : idsOf(left.request).filter((one) => !idsOf(right.request).includes(one))
  return { request: left.request, asked: left.asked, over, prompt, ids, offered: rules.offers(bodyOf(left.request)) }
}

function findProblem(
  left: FirstRequest | undefined,
  right: FirstRequest | undefined,
  [prompt, second]: readonly [string, string],
): string | null {
  if (left === undefined || !holds(left, prompt))
    return 'the first request does not contain the prompt as a separate text'
  const difference = right === undefined ? null : findDifference(left, right, [{ prompt }, { prompt: second }])
  return difference === null ? null : `the first requests of two queries differ in ${difference}`
}

/** The first request that a session of another query would send. */
export function fillTemplate({ compiled, ids }: UsedTemplate, text: string): FirstRequest {
  return compiled.fill(
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
