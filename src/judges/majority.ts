import type { JudgedStatement, Verdict } from './judgement.ts'
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
    const { reason, quote, quoteFoundIn, evidence, rests, kind, weak } = speaker
    return {
      text,
      verdict,
      reason,
      quote,
      quoteFoundIn,
      ...(evidence === undefined ? {} : { evidence }),
      ...(rests === null ? {} : { rests }),
      ...(kind.by === 'nobody' ? {} : { kind }),
      agreement: { agree: countOf(votes, verdict), of: votes.length },
      ...(weak === undefined ? {} : { weak }),
    }
  })
}

function verdictsOn(ballots: readonly Ballot[], index: number): readonly ScoredVerdict['verdict'][] {
  return ballots.flatMap((ballot) => ballot[index]?.verdict ?? [])
}

/** The verdict of most votes; `null` where no verdict has more than half of those that were asked for. */
function majority(votes: readonly Verdict[], asked: number): Verdict | null {
  const most = VERDICTS.find((verdict) => countOf(votes, verdict) * 2 > asked)
  return most ?? null
}

/** How many votes are of one kind. */
function countOf(votes: readonly Verdict[], verdict: Verdict): number {
  return votes.filter((vote) => vote === verdict).length
}

const VERDICTS: readonly Verdict[] = ['pass', 'fail', 'unscored']

function split(text: string, votes: readonly ScoredVerdict['verdict'][]): JudgedStatement {
  const counts = VERDICTS.map((verdict) => `${countOf(votes, verdict)} ${verdict}`)
  return {
    text,
    verdict: 'unscored',
    reason: `The votes have no majority: ${counts.join(', ')}.`,
    quote: '',
    quoteFoundIn: null,
    agreement: { agree: Math.max(0, ...VERDICTS.map((verdict) => countOf(votes, verdict))), of: votes.length },
  }
}
