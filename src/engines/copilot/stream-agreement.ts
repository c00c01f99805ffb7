import { hookName } from './tool-names.ts'
import type { StreamAgreement } from '../stream-agreement.ts'

/** It looks at commands in the background by itself. */
export const STREAM_AGREEMENT: StreamAgreement = {
  isOwnCall: ({ tool }) => tool === 'read_bash',
  toolOf: (name) => hookName(name.replace(/^mcp__(.+?)__/, '$1-')),
}
