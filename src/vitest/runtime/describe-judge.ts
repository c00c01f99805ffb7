import { isByChecksAlone, type JudgePart, type JudgedStatement } from '../../judges/judgement.ts'

/** What the judge made of each statement, for a person: verdict, reason and evidence. */
export function describeJudge(judge: Pick<JudgePart, 'model' | 'reason' | 'selfJudged' | 'statements'>): string {
  const by = judge.model === null ? 'judge' : `judge (${judge.model}${judge.selfJudged ? ', which judges itself' : ''})`
  return [
    `${isByChecksAlone(judge) ? 'checks' : by}: ${judge.reason}`,
    ...judge.statements.map(describeStatement),
  ].join('\n')
}

/** One statement with its verdict, who gave it and why. */
export function describeStatement({
  text,
  verdict,
  reason,
  quote,
  quoteFoundIn,
  agreement,
  decidedBy,
}: JudgedStatement): string {
  const votes =
    decidedBy === 'check' ? ' (by a check)' : agreement.of > 1 ? ` (${agreement.agree} of ${agreement.of} votes)` : ''
  // The reason has a quote that was not found.
  const evidence = quoteFoundIn === null ? '' : `\n    ${quoteFoundIn}: ${JSON.stringify(quote)}`
  return `  ${MARKS[verdict]} ${text}${votes}\n    ${reason}${evidence}`
}

const MARKS = { pass: '✓', fail: '×', unscored: '?' } as const
