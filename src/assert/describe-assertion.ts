import { relative } from 'node:path'
import { gutter } from '../results/printable.ts'
import { rerunCommand } from '../rerun-command.ts'
import { shorten } from '../checks/contains.ts'
import { hookRuntimeOf, nativePayload } from './native-payload.ts'
import type { AssertRequest } from './request.ts'
import type { Output } from './output.ts'

/** What a person needs beside the one sentence: the script's output, a hint, and how to run just this case again. */
export function describeAssertion(headline: string, output: Output | null, request: AssertRequest): string {
  const { suite, assertCase, settings } = request
  const file = relative(settings.root, suite.file)
  const sections = [
    headline,
    output === null ? '' : nativeHint(request),
    section('stdout', output?.stdout ?? ''),
    section('stderr', output?.stderr ?? ''),
    section('run again', rerunCommand({ file, at: assertCase.at }, settings)),
  ]
  return sections.filter((text) => text !== '').join('\n\n')
}

function nativeHint({ assertCase, runtime }: AssertRequest): string {
  if (runtime === null || assertCase.kind !== 'hook') return ''
  const native = nativePayload(assertCase, hookRuntimeOf(runtime), { cwd: '', transcript: '' })
  if (native.payload === null) return ''
  const tool = native.payload['tool_name']
  const other =
    tool === assertCase.payload['toolName']
      ? ''
      : ` It has another tool for this, \`${JSON.stringify(tool)}\`, with other fields.`
  return (
    `${hookRuntimeOf(runtime).title} sends ${native.renamed.join(', ')}: a script that reads only the test's spelling misses it ` +
    `in a real session. Let it read both, such as \`event.tool_name ?? event.toolName\`.${other}`
  )
}

const MOST_SHOWN = 1200

function section(title: string, text: string): string {
  return text.trim() === '' ? '' : `${title}:\n${gutter(shorten(text.trim(), MOST_SHOWN))}`
}
