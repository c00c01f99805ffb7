import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { AcquiredLease } from '../gateway/control/client.ts'
import { parseJson } from '../lib/documents/parse-json.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../lib/json.ts'
import type { JudgePrompt, JudgeProvider, JudgeReply } from './providers/provider.ts'

/** A judge that can be asked. */
export interface ReachedJudge {
  readonly provider: JudgeProvider
  readonly model: string
  /** The model as it was asked for: an id, or a family. */
  readonly asks: string
  readonly lease: AcquiredLease
  readonly signal: AbortSignal
}

/** One request and what came of it, for the folder of the run. */
export interface JudgeExchange {
  readonly nonce: string
  readonly prompt: JudgePrompt
  readonly reply: JudgeReply
}

/** A question, and how its answer is read. */
export interface JudgeForm<Answer> {
  /** @param complaint - what was wrong with the answer before, for the one stricter retry. */
  write(nonce: string, complaint: string | null): JudgePrompt
  readonly schema: JsonObject
  /** Nothing is repaired: what is not exactly an answer says nothing. */
  read(value: JsonValue): ReadAnswer<Answer>
  /** Takes the JSON out of a text; by default the text is the JSON. */
  unwrap?(text: string): string
  readonly maxTokens: number
  /** Of the first request; the retry's is 0 then. `null` leaves both to the model. */
  readonly temperature: number | null
}

/** An answer that was read, or what is wrong with it in one sentence. */
export type ReadAnswer<Answer> = { readonly answer: Answer } | { readonly malformed: string }

/** What one vote came to. `malformed`: what is wrong with the first answer, where a second one was asked for. */
export type Vote<Answer> =
  | { readonly kind: 'answer'; readonly answer: Answer; readonly malformed?: string }
  /** One sentence. `final`: the next vote would fare the same. */
  | { readonly kind: 'none'; readonly problem: string; readonly final: boolean; readonly malformed?: string }

/** Answers to one question, as often as it was asked. */
export interface Polled<Answer> {
  readonly votes: readonly Vote<Answer>[]
  readonly answers: readonly Answer[]
  /** Why the first vote that was not given was not given. */
  readonly problem: string | null
  /** What is wrong with each answer that was asked for again. */
  readonly malformed: readonly string[]
}

/** Asks until there are enough votes, or none can be had. */
export async function pollVotes<Answer>(
  judge: ReachedJudge,
  form: JudgeForm<Answer>,
  isEnough: (votes: readonly Vote<Answer>[]) => boolean,
  keep: (exchange: JudgeExchange) => void,
): Promise<Polled<Answer>> {
  const votes: Vote<Answer>[] = []
  while (!isEnough(votes)) {
    const vote = await askForVote(judge, form, keep)
    votes.push(vote)
    if (vote.kind === 'none' && vote.final) break
  }
  return {
    votes,
    answers: votes.flatMap((vote) => (vote.kind === 'answer' ? [vote.answer] : [])),
    problem: votes.flatMap((vote) => (vote.kind === 'none' ? [vote.problem] : []))[0] ?? null,
    malformed: votes.flatMap(({ malformed }) => malformed ?? []),
  }
}

/** Asks for one answer. What cannot be read is asked for once more, in stricter words. */
export async function askForVote<Answer>(
  judge: ReachedJudge,
  form: JudgeForm<Answer>,
  keep: (exchange: JudgeExchange) => void,
): Promise<Vote<Answer>> {
  const first = await askOnce(judge, form, null, keep)
  if ('kind' in first) return first
  const second = await askOnce(judge, form, first.malformed, keep)
  if ('kind' in second) return { ...second, malformed: first.malformed }
  return {
    kind: 'none',
    problem: `The judge gave no usable answer twice: first ${first.malformed}; then ${second.malformed}.`,
    final: false,
    malformed: first.malformed,
  }
}

async function askOnce<Answer>(
  { provider, model, lease, signal }: ReachedJudge,
  form: JudgeForm<Answer>,
  complaint: string | null,
  keep: (exchange: JudgeExchange) => void,
): Promise<Vote<Answer> | { readonly malformed: string }> {
  const nonce = randomBytes(16).toString('hex')
  const prompt = form.write(nonce, complaint)
  const { schema, maxTokens } = form
  const temperature = complaint === null || form.temperature === null ? form.temperature : 0
  const reply = await provider.ask({ prompt, model, schema, maxTokens, temperature, lease, signal })
  keep({ nonce, prompt, reply })
  if (reply.kind === 'failed') return { kind: 'none', problem: reply.problem, final: reply.final }
  if (reply.kind === 'stopped') return { kind: 'none', problem: STOPPED[reply.why], final: false }
  if (reply.kind === 'malformed') return { malformed: reply.problem }
  const read = readReply(form, reply, nonce)
  return 'malformed' in read ? read : { kind: 'answer', answer: read.answer }
}

/** Reads a reply that says something. An answer that only repeats a verdict from the evidence lacks the nonce. */
export function readReply<Answer>(
  form: Pick<JudgeForm<Answer>, 'read' | 'unwrap'>,
  reply: Extract<JudgeReply, { kind: 'json' | 'text' }>,
  nonce: string,
): ReadAnswer<Answer> {
  const read = reply.kind === 'json' ? reply : readJson(form.unwrap?.(reply.text) ?? reply.text)
  if ('malformed' in read) return read
  const answer = form.read(read.value)
  if ('malformed' in answer || (isJsonObject(read.value) && read.value['nonce'] === nonce)) return answer
  return { malformed: 'the nonce is not that of the request' }
}

const STOPPED = {
  refusal: 'The judge refused to answer.',
  'max-tokens': "The judge's answer was cut off at its limit of tokens.",
} as const

/** Reads the JSON of a judge's text, or says in one sentence what is there instead. */
function readJson(text: string): { readonly value: JsonValue } | { readonly malformed: string } {
  try {
    const value = JSON.parse(text) as JsonValue
    // Of two equal keys a parser keeps the last: which verdict was meant is unknown.
    const isAmbiguous = parseJson(text).mistakes.some(({ code }) => code === 'duplicate-key')
    return isAmbiguous ? { malformed: 'a key is in it twice' } : { value }
  } catch {
    return { malformed: describe(text.trim()) }
  }
}

function describe(start: string): string {
  if (start === '') return 'the answer is empty'
  if (start.startsWith('```')) return 'the answer is in a code fence'
  return start.startsWith('{') ? 'the answer is not valid JSON, or breaks off' : 'the answer is not JSON'
}

/** What is wrong with an answer. It goes into the second request, so nothing of the answer is in it: that may be an agent's words. */
export function describeIssue(issue: z.core.$ZodIssue | undefined): string {
  if (issue === undefined || issue.code === 'unrecognized_keys') return 'it has fields that were not asked for'
  const path = issue.path.map(String).join('.')
  return `${path === '' ? 'the answer' : `"${path}"`}: ${issue.message}`
}

/** A schema of an object with exactly these fields. */
export function objectOf(properties: JsonObject): JsonObject {
  return { type: 'object', additionalProperties: false, required: Object.keys(properties), properties }
}

export function textOf(description: string): JsonObject {
  return { type: 'string', description }
}

/** Quotes of a verdict, and what was searched for where something is absent. The rules say what goes in. */
export const EVIDENCE_FIELDS: JsonObject = {
  evidence: { type: 'array', items: objectOf({ item: { type: 'string' }, quote: { type: 'string' } }) },
  looked_for: { type: 'array', items: { type: 'string' } },
}

/** {@link EVIDENCE_FIELDS} as they are read. */
export const evidenceFields = {
  evidence: z.array(
    z.strictObject({
      // Some put the brackets around it that the evidence has.
      item: z
        .string()
        .nullable()
        .transform((id) => id?.replaceAll(/[[\]\s]/g, '') || null),
      quote: z.string(),
    }),
  ),
  looked_for: z.array(z.string()).default([]),
}
