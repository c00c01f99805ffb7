import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { RESPONSE_FILE } from '../golden/run-log.ts'
import type { AgentRun } from '../../transcript/agent-run.ts'
import type { JudgeExchange } from '../../judges/ask.ts'
import { buildMetrics } from './metrics.ts'
import { formatJson } from '../../json.ts'
import type { CaseFolder } from '../../results/case-folder.ts'
import type { Redactor } from '../../results/redact.ts'
import type { Grading } from './grading.ts'

/** Writes what a run was asked and what it did; `artifacts/` is for the caller to fill. */
export function writeEvidence(folder: CaseFolder, prompt: string, run: AgentRun, redactor: Redactor): void {
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

/** Writes how each expectation came out. */
export function writeGrading(folder: CaseFolder, grading: Grading, redactor: Redactor): void {
  writeFileSync(join(folder.path, 'grading.json'), formatJson(redactor.values(grading)))
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
