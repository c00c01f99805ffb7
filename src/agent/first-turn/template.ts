import { randomBytes, randomUUID } from 'node:crypto'
import { bodyOf, findDifference, SESSION_ID } from '../../gateway/first-request.ts'
import { captureStart } from './capture.ts'
import { createLeader } from './leader.ts'
import type { FirstTurnRules } from '../../engines/first-turn.ts'
import type { FirstRequest } from '../../gateway/first-request.ts'
import type { AgentRequest } from '../agent-request.ts'
import type { CapturedStart } from './capture.ts'
import type { Leader } from './leader.ts'

/** A first request from which those of other queries are made. */
export interface Template extends CapturedStart {
  /** Text of the query that it was sent for. */
  readonly prompt: string
  /** Ids in it that each session makes up. */
  readonly ids: readonly string[]
  /** Skills that it offers. */
  readonly offered: readonly string[]
  /** Lets one query go before the others. */
  readonly leader: Leader
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

/** The template of all queries of a scope: from two starts of the CLI that must show the same, or from one. */
export function templateOf(
  request: AgentRequest,
  rules: FirstTurnRules,
  { key, others }: TemplateScope,
  starts: 1 | 2,
): Promise<NoTemplate | Template> {
  const id = JSON.stringify([key, request.model, starts, days()])
  const known = templates.get(id)
  if (known !== undefined) return known
  const made = makeTemplate(request, rules, others, starts)
  templates.set(id, made)
  // A start that was called off says nothing to those that come later.
  void made.catch(() => templates.delete(id))
  return made
}

const templates = new Map<string, Promise<NoTemplate | Template>>()

async function makeTemplate(
  request: AgentRequest,
  rules: FirstTurnRules,
  others: readonly string[],
  starts: 1 | 2,
): Promise<NoTemplate | Template> {
  const { prompt } = request.evalCase
  const further = others.filter((text) => text !== prompt && rules.dependsOn(text) === null)
  const second = further[Math.floor(Math.random() * further.length)] ?? (prompt === NEUTRAL ? OTHER_NEUTRAL : NEUTRAL)
  const day = days()
  const [left, right] = await Promise.all([
    captureStart(request, prompt),
    starts === 1 ? null : captureStart(request, second),
  ])
  // Requests tell the date.
  if (days() !== day) return makeTemplate(request, rules, others, starts)
  if ('problem' in left) return left
  if (right !== null && 'problem' in right) return right
  if (!holds(left.request, prompt))
    return { problem: 'the first request does not contain the prompt as a separate text' }
  const difference =
    right === null ? null : findDifference(left.request, right.request, [{ prompt }, { prompt: second }])
  if (difference !== null) return { problem: `the first requests of two queries differ in ${difference}` }
  return {
    ...left,
    prompt,
    ids: right === null ? [] : idsOf(left.request).filter((one) => !idsOf(right.request).includes(one)),
    offered: rules.offers(bodyOf(left.request)),
    leader: createLeader(),
  }
}

/** The first request that a session of another query would send. */
export function fillTemplate({ request, prompt, ids }: Template, text: string): FirstRequest {
  const fresh = ids.map(
    (id) => [id, id.length === UUID_LENGTH ? randomUUID() : randomBytes(32).toString('hex')] as const,
  )
  const exchange = (value: string): string => fresh.reduce((rest, [old, id]) => rest.replaceAll(old, id), value)
  const fill = (_name: string, value: unknown): unknown => {
    if (typeof value !== 'string') return value
    return value === prompt ? text : exchange(value)
  }
  return {
    ...request,
    headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, exchange(value)])),
    body: JSON.stringify(JSON.parse(request.body, fill)),
  }
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
function days(): string {
  const now = new Date()
  return `${now.toDateString()} ${now.toISOString().slice(0, 10)}`
}

const UUID_LENGTH = 36

/** For a scope that has one query only. */
const NEUTRAL = 'Which files are in this folder?'
const OTHER_NEUTRAL = 'How many files are in this folder?'
