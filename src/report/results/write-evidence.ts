import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CheckResult } from '../../checks/check.ts'
import type { EvalCase } from '../../formats/suite.ts'
import type { Redactor } from '../../gateway/redact.ts'
import type { JudgeExchange } from '../../judges/ask.ts'
import type { Position } from '../../lib/documents/document.ts'
import { formatJson } from '../../lib/json.ts'
import { sum } from '../../lib/lists.ts'
import { hundredths } from '../../lib/rates.ts'
import type { AgentRun, RunStatus } from '../../transcript/transcript.ts'
import { countToolCalls } from '../build/summarize-run.ts'
import { RESPONSE_FILE } from '../golden/run-log.ts'
import type { CaseFolder } from './case-folder.ts'
import type { Decision } from './decide-outcome.ts'
import type { JudgePart } from './result.ts'

/** Writes what a run was asked and what it did; `artifacts/` is for the caller to fill. */
export function writeRunFiles(folder: CaseFolder, prompt: string, run: AgentRun, redactor: Redactor): void {
  const transcript = run.transcript.map((event) => `${JSON.stringify(redactor.values(event))}\n`).join('')
  const metrics = redactor.values(buildMetrics(run, transcript))
  writeFileSync(join(folder.path, 'prompt.txt'), redactor.text(prompt))
  writeFileSync(join(folder.path, 'transcript.jsonl'), transcript)
  writeFileSync(join(folder.path, 'metrics.json'), formatJson(metrics))
  if (run.otherRequests !== undefined)
    writeFileSync(join(folder.path, 'requests.json'), formatJson(redactor.values(run.otherRequests)))
  // Beside the transcript and not in it: a run and its replay have the same events.
  if (run.eventTimes !== undefined)
    writeFileSync(join(folder.path, 'timings.json'), `${JSON.stringify({ version: 1, events: run.eventTimes })}\n`)
}

/** Writes `grading.json`: how each expectation came out, in the words of the BMAD eval runner. */
export function writeGrading(folder: CaseFolder, run: GradedRun, redactor: Redactor): void {
  writeFileSync(join(folder.path, 'grading.json'), formatJson(redactor.values(buildGrading(run))))
}

/** Keeps what the agent answered, for the log of its golden tests. */
export function writeResponse(folder: CaseFolder, run: Pick<AgentRun, 'output'>, redactor: Redactor): void {
  writeFileSync(join(folder.path, RESPONSE_FILE), redactor.text(run.output))
}

/** Writes what the judge was asked and what it answered, so that a verdict can be understood and given again. */
export function writeJudgeExchanges(folder: CaseFolder, exchanges: readonly JudgeExchange[], redactor: Redactor): void {
  if (exchanges.length === 0) return
  const [{ prompt } = { prompt: null }] = exchanges
  const judge = {
    system: prompt?.system,
    exchanges: exchanges.map(({ nonce, prompt: { user }, reply }) => ({ nonce, user, reply })),
  }
  writeFileSync(join(folder.path, 'judge.json'), formatJson(redactor.values(judge)))
}

/** What is graded. */
interface GradedRun {
  readonly evalCase: Pick<EvalCase, 'criteria' | 'id'>
  readonly checks: readonly CheckResult[]
  readonly judge: JudgePart | null
  readonly decision: Decision
  readonly status: RunStatus
}

// In the order of the file. Only what was decided has a grade: one is never made up.
function buildGrading(run: GradedRun): object {
  const all = [...gradeStatements(run), ...run.checks.map(gradeCheck)].toSorted((a, b) => compare(a.at, b.at))
  // What a run that broke has left says nothing of the skill.
  const isBroken = run.status !== 'completed'
  const decided = all.flatMap(({ text, passed, evidence }) =>
    passed === null || isBroken ? [] : [{ text, passed, evidence }],
  )
  const open = isBroken ? all : all.filter(({ passed }) => passed === null)
  const passed = decided.filter((one) => one.passed).length
  const suggestions = all.flatMap(({ text, weak }) => (weak === null ? [] : [{ assertion: text, reason: weak }]))
  const error = run.decision.error?.message ?? open[0]?.evidence
  return {
    eval_id: run.evalCase.id,
    expectations: decided,
    summary: {
      passed,
      failed: decided.length - passed,
      total: decided.length,
      pass_rate: decided.length === 0 ? null : hundredths(passed / decided.length),
    },
    eval_feedback: { suggestions, overall: describeFeedback(suggestions.length, all.length, run.judge) },
    ...(error === undefined ? {} : { grading_error: error }),
    ...(open.length === 0 ? {} : { ungraded: open.map(({ text, evidence }) => ({ text, reason: evidence })) }),
  }
}

interface Graded {
  readonly text: string
  /** `null`: unknown. */
  readonly passed: boolean | null
  readonly evidence: string
  readonly weak: string | null
  readonly at: Position
}

function gradeStatements({ evalCase, judge }: GradedRun): readonly Graded[] {
  return (evalCase.criteria?.statements ?? []).map(({ text, at }, index) => {
    const found = judge?.statements[index]
    if (found === undefined) {
      return { text, at, passed: null, evidence: judge?.reason ?? 'The judge was not asked.', weak: null }
    }
    const { verdict, reason, quote, quoteFoundIn, weak } = found
    const evidence = quote === '' ? reason : `${reason} (${quoteFoundIn ?? 'found nowhere'}: ${JSON.stringify(quote)})`
    return { text, at, passed: verdict === 'unscored' ? null : verdict === 'pass', evidence, weak: weak ?? null }
  })
}

function gradeCheck({ kind, value, at, outcome, message, weak }: CheckResult): Graded {
  const text = `${kind}: ${String(value)}`
  const evidence = message === '' ? 'The check has passed.' : message
  return { text, at, passed: outcome === 'errored' ? null : outcome === 'passed', evidence, weak: weak ?? null }
}

function describeFeedback(weak: number, all: number, judge: JudgePart | null): string {
  if (weak > 0) return `${weak} of ${all} assertions ${weak === 1 ? 'proves' : 'prove'} little.`
  const isSeen = judge !== null && judge.votes > 0
  return isSeen ? 'No suggestions; assertions look solid.' : 'No suggestions; no judge has looked at the assertions.'
}

function compare(a: Position, b: Position): number {
  return a.line - b.line || a.column - b.column
}

// What `metrics.json` says of a run, in the words of the BMAD eval runner.
function buildMetrics(run: AgentRun, transcriptText: string): object {
  const calls = countToolCalls(run)
  return {
    elapsed_s: Math.round(run.durationMs / 10) / 100,
    return_code: run.status === 'timed-out' ? -1 : run.exitCode,
    tool_calls: calls,
    total_tool_calls: sum(Object.values(calls)),
    // What the agent did: its messages and its tool calls.
    total_steps: run.transcript.filter(({ kind }) => kind === 'message' || kind === 'tool-call').length,
    output_chars: run.output.length,
    transcript_chars: transcriptText.length,
    stderr_tail: run.stderrTail,
  }
}
