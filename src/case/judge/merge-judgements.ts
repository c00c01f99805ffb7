import { addUsage, sumCost } from '../../gateway/budget/spending.ts'
import type { JudgePart, JudgedStatement, Verdict } from '../../judges/judgement.ts'
import { sumOf } from '../../lib/lists.ts'

/** A judge that a test asked, and whether the test wanted its criteria not to hold. */
export interface AskedJudge {
  readonly part: JudgePart
  readonly isNot: boolean
  readonly criteria: string
}

/** Makes one part of all that a test asked its judges; `null` when it asked none. What failed comes first. */
export function mergeJudgements(askedJudges: readonly AskedJudge[]): JudgePart | null {
  const parts = askedJudges.map(readAsAsked)
  const decisive = RANKING.flatMap((result) => parts.find((part) => part.result === result) ?? [])[0]
  if (decisive === undefined) return null
  const decided = parts.filter(({ result }) => result === 'failed' || result === 'passed')
  const answered = decided.length > 0 ? decided : parts
  return {
    result: decisive.result,
    reason: decisive.reason,
    error: decisive.error,
    model: shared(answered.map(({ model }) => model)),
    provider: shared(answered.map(({ provider }) => provider)),
    selfJudged: parts.some(({ selfJudged }) => selfJudged),
    statements: parts.flatMap(({ statements }) => statements),
    votes: Math.max(...parts.map(({ votes }) => votes)),
    requests: sumOf(parts, ({ requests }) => requests),
    usage: addUsage(parts.map(({ usage }) => usage)),
    costUsd: sumCost(parts.map(({ costUsd }) => costUsd)),
    notices: [...new Set(parts.flatMap(({ notices }) => notices))],
  }
}

const RANKING = ['failed', 'errored', 'passed', 'skipped'] as const

// `.not` asks that not all of it holds: that is one statement, whatever the number of those that it is about.
function readAsAsked({ part, isNot, criteria }: AskedJudge): JudgePart {
  if (!isNot || part.result === 'skipped') return part
  const result = part.result === 'errored' ? 'errored' : part.result === 'passed' ? 'failed' : 'passed'
  const telling = part.statements.find(({ verdict }) => verdict !== 'pass') ?? part.statements[0]
  const statement: JudgedStatement = {
    text: `not: ${criteria.trim()}`,
    verdict: VERDICTS[result],
    reason: part.reason,
    quote: telling?.quote ?? '',
    quoteFoundIn: telling?.quoteFoundIn ?? null,
    agreement: telling?.agreement ?? { agree: 0, of: 0 },
  }
  const reason = result === 'failed' ? `It must not hold, but it does: ${part.reason}` : part.reason
  return { ...part, result, reason, statements: [statement] }
}

const VERDICTS: Readonly<Record<'errored' | 'failed' | 'passed', Verdict>> = {
  errored: 'unscored',
  failed: 'fail',
  passed: 'pass',
}

function shared(values: readonly (string | null)[]): string | null {
  const distinct = new Set(values)
  return distinct.size === 1 ? ([...distinct][0] ?? null) : null
}
