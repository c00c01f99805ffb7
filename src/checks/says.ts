import { aboutText, CONTAINS } from './sentence-parts.ts'
import type { CheckFields, CheckKind } from './check.ts'

/** A text, and whether it has to be there. */
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
