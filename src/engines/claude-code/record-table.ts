import { isSandboxDenial } from '../stream/sandbox-denial.ts'
import { skillSignal } from '../stream/skill-signal.ts'
import { SKILL_TOOLS } from './tool-names.ts'
import type { ResultFacts, RecordTable } from '../record-table.ts'

/** The API has a mark for a call that failed; who stopped it is in its words, and for some only in the stream. */
export const RECORD_TABLE: RecordTable = {
  callOf: ({ name, input }) => ({ tool: name, input }),
  plainTool: (tool) => tool,
  resultOf({ text, isError }, shown) {
    const said = withoutNotes(text, shown?.text ?? '').replaceAll(NO_TEXT, '[$1]')
    const blockedBy = !isError ? null : (blockerIn(said) ?? (RAN.test(said) ? null : (shown?.blockedBy ?? null)))
    return { text: said, isError, blockedBy }
  },
  skillsOf(call, text) {
    const signal = skillSignal(call.tool, call.input, SKILL_TOOLS)
    // The name that the CLI itself gives the skill, whichever alias the model called it by.
    const named = signal?.via === 'tool' ? /^Launching skill: (\S+)/.exec(text)?.[1] : undefined
    return signal === null ? [] : [{ ...signal, skill: named ?? signal.skill }]
  },
  showsCalls: true,
}

/** The CLI adds notes of its own to what a tool returned, such as how many tokens are left: they are not the tool's words. */
function withoutNotes(text: string, shown: string): string {
  const tool = shown.trimEnd()
  if (tool === '' || !text.startsWith(tool)) return text
  const added = text.slice(tool.length).trim()
  return added.startsWith('<system-reminder>') && added.endsWith('</system-reminder>') ? shown : text
}

/** A part that is no text, such as an image, as the gateway writes it. */
const NO_TEXT = /^\{"kind":"other","type":"(\w+)".*$/gm
const RAN = /^Exit code \d+/

function blockerIn(text: string): ResultFacts['blockedBy'] {
  if (/^\w+(?::\S+)? hook error: /.test(text)) return 'hook'
  return isSandboxDenial(text) ? 'sandbox' : null
}
