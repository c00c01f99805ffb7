import { randomBytes } from 'node:crypto'
import { writePrompt, type JudgePrompt, type JudgeQuestion } from './prompt.ts'
import { checkAnswer, readAnswer, type JudgeAnswer, type ReadAnswer } from './schema.ts'
import type { AcquiredLease } from '../gateway/client.ts'
import type { JudgeProvider, JudgeReply } from './providers/provider.ts'

/** A judge that can be asked. */
export interface ReachedJudge {
  readonly provider: JudgeProvider
  readonly model: string
  readonly lease: AcquiredLease
  readonly signal: AbortSignal
}

/** One request and what came of it, for the folder of the run. */
export interface JudgeExchange {
  readonly nonce: string
  readonly prompt: JudgePrompt
  readonly reply: JudgeReply
}

/** What one vote came to. */
export type Vote =
  | { readonly kind: 'answer'; readonly answer: JudgeAnswer }
  /** One sentence. `final`: the next vote would fare the same. */
  | { readonly kind: 'none'; readonly problem: string; readonly final: boolean }

/** Asks for one set of verdicts. What cannot be read is asked for once more, in stricter words. */
export async function askForVote(
  judge: ReachedJudge,
  question: JudgeQuestion,
  keep: (exchange: JudgeExchange) => void,
): Promise<Vote> {
  const first = await askOnce(judge, question, null, keep)
  if (!('malformed' in first)) return first
  const second = await askOnce(judge, question, first.malformed, keep)
  if (!('malformed' in second)) return second
  return {
    kind: 'none',
    problem: `The judge gave no usable answer twice: first ${first.malformed}; then ${second.malformed}.`,
    final: false,
  }
}

async function askOnce(
  { provider, model, lease, signal }: ReachedJudge,
  question: JudgeQuestion,
  complaint: string | null,
  keep: (exchange: JudgeExchange) => void,
): Promise<Vote | { readonly malformed: string }> {
  const nonce = randomBytes(16).toString('hex')
  const prompt = writePrompt(question, nonce, complaint)
  const statements = question.statements.length
  const reply = await provider.ask({
    prompt,
    model,
    maxTokens: FIXED_TOKENS + statements * TOKENS_OF_ONE,
    lease,
    signal,
  })
  keep({ nonce, prompt, reply })
  if (reply.kind === 'failed') return { kind: 'none', problem: reply.problem, final: reply.final }
  if (reply.kind === 'stopped') return { kind: 'none', problem: STOPPED[reply.why], final: false }
  if (reply.kind === 'malformed') return { malformed: reply.problem }
  const read: ReadAnswer =
    reply.kind === 'json'
      ? checkAnswer(reply.value, { nonce, statements })
      : readAnswer(reply.text, { nonce, statements })
  return 'malformed' in read ? read : { kind: 'answer', answer: read.answer }
}

const FIXED_TOKENS = 4096
const TOKENS_OF_ONE = 512

const STOPPED = {
  refusal: 'The judge refused to answer.',
  'max-tokens': "The judge's answer was cut off at its limit of tokens.",
} as const
