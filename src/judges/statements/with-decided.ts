import { decideVerdict } from '../decide-verdict.ts'
import type { JudgedStatement, JudgePart } from '../judgement.ts'

/** What a check has found of one statement. */
export interface StatementFinding {
  readonly holds: boolean
  /** One sentence. */
  readonly evidence: string
  /** Why the statement proves little; `null` when it is fine. */
  readonly weak: string | null
}

/** Puts the statements that checks have decided among those of the judge, in the order of the file, and decides anew. */
export function withDecided(
  part: JudgePart,
  statements: readonly string[],
  decided: readonly (StatementFinding | null)[],
): JudgePart {
  if (decided.every((finding) => finding === null)) return part
  const judged = [...part.statements]
  const all = statements.map((text, index) => {
    const finding = decided[index] ?? null
    return finding === null ? (judged.shift() ?? notAsked(text, part)) : describeFinding(text, finding)
  })
  const isWaiting = part.result === 'skipped' && all.some(({ decidedBy }) => decidedBy === undefined)
  if (isWaiting) return { ...part, statements: all }
  const { result, reason } = decideVerdict(all)
  const error = result === 'errored' ? part.error : null
  const errorNotices = part.error === null || error !== null ? [] : [part.error.message]
  return {
    ...part,
    result,
    reason: error?.message ?? reason,
    error,
    statements: all,
    notices: [...part.notices, ...errorNotices],
  }
}

function describeFinding(text: string, { holds, evidence, weak }: StatementFinding): JudgedStatement {
  return {
    text,
    verdict: holds ? 'pass' : 'fail',
    reason: evidence,
    quote: '',
    quoteFoundIn: null,
    agreement: { agree: 1, of: 1 },
    decidedBy: 'check',
    ...(weak === null ? {} : { weak }),
  }
}

function notAsked(text: string, { reason, result }: JudgePart): JudgedStatement {
  return {
    text,
    verdict: 'unscored',
    reason: result === 'skipped' ? `The judge was not asked: ${reason}.` : reason,
    quote: '',
    quoteFoundIn: null,
    agreement: { agree: 0, of: 0 },
  }
}
