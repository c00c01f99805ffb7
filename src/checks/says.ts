import { toolCalls } from '../transcript/select.ts'
import { aboutText, CONTAINS, IS, TOOL } from './sentence-parts.ts'
import type { CheckFields, CheckKind, Parts } from './check.ts'

/** A text or name, and whether it has to be there. */
export interface HeldFields extends CheckFields {
  readonly value: string
  readonly holds: boolean
}

/** Whether the final message of the agent holds a text. */
export const says: CheckKind<HeldFields> = {
  run({ value, holds }, { run }) {
    const found = run.finalMessage.includes(value)
    const seen = `The final message ${found ? 'contains' : 'does not contain'} ${JSON.stringify(value)}.`
    return { outcome: found === holds ? 'passed' : 'failed', seen }
  },
  describe: ({ value, holds }) =>
    `The final message ${holds ? 'contains' : 'does not contain'} ${JSON.stringify(value)}.`,
  sentences: [
    [
      `the final (?:assistant )?message ${CONTAINS}`,
      (parts) => {
        const { text, holds } = aboutText(parts)
        return { value: text, holds }
      },
    ],
  ],
}

/** Whether the agent has called a tool. */
export const toolCalled: CheckKind<HeldFields> = {
  run({ value, holds }, { run }) {
    const calls = toolCalls(run).filter(({ call }) => call.tool.toLowerCase() === value.toLowerCase())
    const events = calls.slice(0, 10).map(({ call }) => call.n)
    const seen = calls.length === 0 ? `${value} was not called.` : `${value} was called at event ${events.join(', ')}.`
    return { outcome: calls.length > 0 === holds ? 'passed' : 'failed', seen }
  },
  describe: ({ value, holds }) => `The tool ${value} is ${holds ? '' : 'not '}called.`,
  sentences: [
    [`the transcript contains (?:(?<no>no)|an?) ${TOOL} tool calls?`, aboutTool],
    [`the ${TOOL} tool ${IS} (?<no>not |never )?(?:called|used)`, aboutTool],
  ],
}

// Tools are capitalised, or are a server's: `no failed tool calls` names none.
function aboutTool({ tool = '', no }: Parts): HeldFields | null {
  return /^[A-Z]|__/.test(tool) ? { value: tool, holds: no === undefined } : null
}
