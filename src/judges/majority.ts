import { countOf, majority } from './decide.ts'
import type { JudgedStatement } from './judgement.ts'
import type { ScoredVerdict } from './score.ts'

/** One vote: a verdict for each statement. */
export type Ballot = readonly ScoredVerdict[]

/** Whether further votes cannot change the majority on any statement. */
export function isSettled(ballots: readonly Ballot[], statements: number, asked: number): boolean {
  const indexes = Array.from({ length: statements }, (_, index) => index)
  return indexes.every((index) => majority(verdictsOn(ballots, index), asked) !== null)
}

/** Folds votes: each statement gets the verdict of most of them, or is unscored where there is no majority. */
export function takeMajority(
  statements: readonly string[],
  ballots: readonly Ballot[],
  asked: number,
): readonly JudgedStatement[] {
  return statements.map((text, index) => {
    const votes = verdictsOn(ballots, index)
    const verdict = majority(votes, asked)
    const speaker = ballots.map((ballot) => ballot[index]).find((vote) => vote?.verdict === verdict)
    if (verdict === null || speaker === undefined) return split(text, votes)
    const { reason, quote, quoteFoundIn, weak } = speaker
    return {
      text,
      verdict,
      reason,
      quote,
      quoteFoundIn,
      agreement: { agree: countOf(votes, verdict), of: votes.length },
      ...(weak === undefined ? {} : { weak }),
    }
  })
}

function verdictsOn(ballots: readonly Ballot[], index: number): readonly ScoredVerdict['verdict'][] {
  return ballots.flatMap((ballot) => ballot[index]?.verdict ?? [])
}

function split(text: string, votes: readonly ScoredVerdict['verdict'][]): JudgedStatement {
  const counts = (['pass', 'fail', 'unscored'] as const).map((verdict) => `${countOf(votes, verdict)} ${verdict}`)
  return {
    text,
    verdict: 'unscored',
    reason: `The votes have no majority: ${counts.join(', ')}.`,
    quote: '',
    quoteFoundIn: null,
    agreement: {
      agree: Math.max(0, ...(['pass', 'fail', 'unscored'] as const).map((verdict) => countOf(votes, verdict))),
      of: votes.length,
    },
  }
}
