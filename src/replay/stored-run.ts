import { join } from 'node:path'
import { AgentEvalsError, messageOf } from '../errors.ts'
import type { CaseResult } from '../results/result.ts'
import type { AgentRun } from '../transcript/agent-run.ts'
import type { TranscriptEvent } from '../transcript/transcript.ts'
import { readTextFile } from '../files.ts'

/**
 * Makes the record of a run again from its folder and its result. `folder` is an absolute path.
 *
 * @throws {AgentEvalsError} `missing-input` when the folder does not hold its transcript any more.
 */
export function readStoredRun(result: CaseResult, folder: string): AgentRun {
  const [summary] = result.runs
  const transcript = readTranscript(join(folder, 'transcript.jsonl'))
  if (summary === undefined) throw new AgentEvalsError('missing-input', `${result.id} has no run.`)
  const messages = transcript.flatMap((event) => (event.kind === 'message' && event.agent === null ? [event.text] : []))
  const { name, version, sessionId, modelAsked, model } = result.engine
  return {
    engine: name,
    engineVersion: version,
    status: summary.status,
    problem: summary.problem,
    problemCode: null,
    exitCode: summary.exitCode,
    signal: null,
    sessionId,
    modelAsked,
    model,
    record: result.engine.record ?? 'gateway',
    output: messages.join('\n\n'),
    finalMessage: messages.at(-1) ?? '',
    transcript,
    files: summary.files,
    usage: summary.usage,
    costUsd: 0,
    requests: summary.requests,
    durationMs: summary.durationMs,
    ...(summary.stopReason === undefined ? {} : { stopReason: summary.stopReason }),
    sandbox: result.sandbox ?? { asked: 'unknown', enforced: 'unknown' },
    stderrTail: '',
    workspace: null,
  }
}

function readTranscript(file: string): readonly TranscriptEvent[] {
  try {
    const lines = readTextFile(file).split('\n')
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as TranscriptEvent)
  } catch (cause) {
    const reason = messageOf(cause)
    throw new AgentEvalsError('missing-input', `The stored run cannot be read: ${reason}. Run the case again.`, {
      cause,
    })
  }
}
