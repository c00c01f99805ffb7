import type { QuoteFinder } from './evidence.ts'
import type { AnsweredVerdict } from './schema.ts'
import type { Verdict } from './judgement.ts'

/** A verdict whose evidence was looked up. */
export interface ScoredVerdict {
  readonly verdict: Verdict
  readonly reason: string
  readonly quote: string
  readonly quoteFoundIn: string | null
  /** Why the statement itself proves little; absent when the judge finds it fine. */
  readonly weak?: string
}

/** Looks up the quote of each verdict. A verdict without evidence, or with an invented one, is worth nothing. */
export function scoreVerdicts(verdicts: readonly AnsweredVerdict[], find: QuoteFinder): readonly ScoredVerdict[] {
  return verdicts.map(({ verdict, reason, quote, weak = '' }) => {
    const quoteFoundIn = find(quote)
    const remark = weak.trim() === '' ? {} : { weak: shorten(weak.trim()) }
    if (quoteFoundIn !== null || verdict === 'unscored') return { verdict, reason, quote, quoteFoundIn, ...remark }
    const flaw =
      quote.trim() === ''
        ? `The judge gave no evidence for "${verdict}"`
        : `The judge's evidence for "${verdict}" is nowhere in the output, the transcript or the files: ${JSON.stringify(shorten(quote))}`
    return { verdict: 'unscored', reason: `${flaw}. Its reason was: ${reason}`, quote, quoteFoundIn, ...remark }
  })
}

function shorten(quote: string): string {
  return quote.length > 200 ? `${quote.slice(0, 200)}…` : quote
}
