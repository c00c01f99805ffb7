import { isSameResult, type ModelCall, type ShownCall, type StreamAgreement } from '../stream/stream-agreement.ts'
import { readCall, SCRIPT } from './merge-events.ts'

/** Codex numbers calls in its own way: those that the gateway saw have the model's id and input when they get here. */
export const STREAM_AGREEMENT: StreamAgreement = {
  isOwnCall: (call, { made, broken }) =>
    call.tool === 'web_search' ||
    made.some((one) => one.id === call.id || makesOthers(one, call)) ||
    broken.some((one) => isSameCall(one, call)),
  toolOf: (name) => name,
  showsCalls: false,
  agree: (shown, given) =>
    shown.isError || NOT_SHOWN.test(given.text) || isSameResult(shown.text, given.text.replace(HEADER, '')),
  exceptions: {
    messages: 'compared',
    calls: 'compared by tool and command; calls of a script and web searches are not',
    results:
      'compared, but for failed calls, changed files, images, cut outputs and commands that go on in the background',
  },
}

/** What Codex writes before an output for the model. */
const HEADER =
  /^(?:Exit code: \d+\n|Wall time: .*\n|Process exited with code \d+\n|Chunk ID: .*\n|Original token count: \d+\n|Total output lines: \d+\n)*(?:Output:\n)?/
/** How Codex says that a command goes on, that it has cut what the command printed, or that it has changed files. */
const NOT_SHOWN =
  /\bProcess running with session ID\b|^Warning: truncated output|… ?\d+ (?:tokens|chars) truncated ?…|^Success\. Updated the following files:$/m

/** Whether the model's call makes others, which have no id of the model. */
function makesOthers({ name, input }: ModelCall, { tool }: ShownCall): boolean {
  return name === SCRIPT || (tool === 'apply_patch' && JSON.stringify(input).includes('apply_patch'))
}

/** Whether a call of an answer that broke off is this one: Codex asks again, and may have made it already. */
function isSameCall({ name, input }: ModelCall, { tool }: ShownCall): boolean {
  return readCall({ tool: name, input }).tool === tool
}
