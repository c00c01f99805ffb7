import { allOf, type Engines } from '../../engines/registry.ts'
import { toolCalls } from '../../transcript/select.ts'
import type { AgentRun } from '../../transcript/agent-run.ts'

/** Notes a run that ended with a question: no user was there to answer, so it may have stopped halfway. */
export function endsByAsking(
  run: Pick<AgentRun, 'finalMessage' | 'status' | 'transcript'>,
  known?: Engines,
): readonly string[] {
  if (run.status !== 'completed') return []
  const question = askedByTool(run, known) ?? lastQuestion(run.finalMessage)
  if (question === null) return []
  return [
    `The run ended by asking ${JSON.stringify(question.slice(0, 200))} and no user answers. Add the answer to the prompt, or state that the run is headless.`,
  ]
}

// The last call, not any: what was asked and refused earlier did not end the run.
function askedByTool(run: Pick<AgentRun, 'transcript'>, known?: Engines): string | null {
  const last = toolCalls(run).at(-1)?.call
  if (last === undefined || !allOf('askTools', known).includes(last.tool)) return null
  return /"question":"((?:[^"\\]|\\.)*)"/.exec(JSON.stringify(last.input))?.[1] ?? last.tool
}

// A list of answers to choose from may follow the question.
function lastQuestion(message: string): string | null {
  const lines = message
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const last = lines.findLastIndex((line) => !/^(?:[-*+•]|\(?[\da-z]{1,2}[.)])\s/i.test(line))
  const line = (last === -1 ? lines.at(-1) : lines[last]) ?? ''
  const sentence = line.split(/(?<=[.!?？])\s+/).at(-1) ?? ''
  const plain = sentence.replaceAll(/^[\s*_"'“>#]+|(?<![\s*_"'”)])[\s*_"'”)]+$/g, '')
  return /[?？]$/.test(plain) ? plain : null
}
