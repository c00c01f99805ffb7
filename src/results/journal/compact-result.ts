import type { CheckResult } from '../../checks/check.ts'
import type { CaseResult, JudgePart, RunSummary, RunVerdict } from '../result.ts'

/** A result without its long parts, for a disk that is full: how a case came out is worth more than its evidence. */
export function compactResult(result: CaseResult): CaseResult {
  return {
    ...result,
    reason: cutOrNull(result.reason),
    error: result.error === null ? null : { code: result.error.code, message: cut(result.error.message) },
    runs: result.runs.map(compactRun),
    checks: result.checks.map(compactCheck),
    judge: result.judge === null ? null : compactJudge(result.judge),
    trigger: result.trigger === null ? null : { ...result.trigger, query: cut(result.trigger.query) },
    outputSnippet: cutOrNull(result.outputSnippet),
    hashes: [],
    notices: ['The disk was full: the evidence of this case was cut.'],
  }
}

function compactRun(run: RunSummary): RunSummary {
  const files = { created: [], modified: [], deleted: [], unreadable: [] }
  return {
    ...run,
    problem: cutOrNull(run.problem),
    files,
    hooks: [],
    toolCalls: {},
    skillsUsed: run.skillsUsed.slice(0, 5),
    lastMessage: cut(run.lastMessage),
    ...(run.verdict === undefined ? {} : { verdict: compactVerdict(run.verdict) }),
  }
}

function compactVerdict({ outcome, reason, checks, judge }: RunVerdict): RunVerdict {
  const shown = judge === null ? null : compactJudge(judge)
  return { outcome, reason: cutOrNull(reason), checks: checks.map(compactCheck), judge: shown }
}

function compactJudge(judge: JudgePart): JudgePart {
  return {
    ...judge,
    reason: cut(judge.reason),
    error: judge.error === null ? null : { code: judge.error.code, message: cut(judge.error.message) },
    statements: judge.statements
      .slice(0, 20)
      .map((one) => ({ ...one, text: cut(one.text), reason: cut(one.reason), quote: cut(one.quote) })),
    notices: judge.notices.slice(0, 3).map(cut),
  }
}

function compactCheck({ kind, value, at, outcome, message }: CheckResult): CheckResult {
  return { kind, value: typeof value === 'string' ? cut(value) : value, at, outcome, message: cut(message) }
}

function cutOrNull(text: string | null): string | null {
  return text === null ? null : cut(text)
}

function cut(text: string): string {
  return text.length <= 200 ? text : `${text.slice(0, 199)}…`
}
