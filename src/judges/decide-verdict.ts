import type { JudgedStatement, JudgePart } from './judgement.ts'

/** What the verdicts on all statements come to. */
export type Decided = Pick<JudgePart, 'reason'> & { readonly result: 'errored' | 'failed' | 'passed' }

/** One failed statement fails the whole; else one that could not be scored leaves it undecided. */
export function decideVerdict(statements: readonly JudgedStatement[]): Decided {
  const failed = statements.filter(({ verdict }) => verdict === 'fail')
  if (failed.length > 0) return { result: 'failed', reason: describe(failed, statements.length, 'does not hold') }
  const open = statements.filter(({ verdict }) => verdict === 'unscored')
  if (open.length > 0) return { result: 'errored', reason: describe(open, statements.length, 'could not be scored') }
  return { result: 'passed', reason: passedReason(statements) }
}

function describe(statements: readonly JudgedStatement[], total: number, what: string): string {
  const [first] = statements
  if (first === undefined) return ''
  const others = statements.length - 1
  const more = others === 0 ? '' : ` (and ${others} more of ${total})`
  return `"${first.text}" ${what}${more}: ${first.reason}`
}

function passedReason(statements: readonly JudgedStatement[]): string {
  const [first] = statements
  return statements.length === 1 && first !== undefined ? first.reason : `All ${statements.length} statements hold.`
}
