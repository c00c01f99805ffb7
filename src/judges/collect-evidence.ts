import { toolCalls } from '../transcript/select.ts'
import { digestRun } from './digest.ts'
import { numberMessages } from './number-messages.ts'
import type { JsonValue } from '../json.ts'
import type { EvidenceText } from './evidence.ts'
import type { JudgedRun } from './prompt.ts'

/** The texts in which a judge's quotes are looked up: all that it is shown, uncut. */
export function collectEvidence({ run, files, fixtures }: JudgedRun): readonly EvidenceText[] {
  const whole = { result: Infinity, input: Infinity }
  // A judge may copy an input as JSON shows it, or as it was meant.
  const inputs = toolCalls(run).map(({ call }) => ({ name: 'transcript', text: textsIn(call.input).join('\n') }))
  return [
    { name: 'output', text: run.output },
    { name: 'transcript', text: digestRun(run, whole, fixtures) },
    ...files,
    ...inputs,
    { name: 'output', text: numberMessages(run) },
  ]
}

function textsIn(value: JsonValue | undefined): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsIn)
}
