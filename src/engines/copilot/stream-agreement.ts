import { hookName } from './tool-names.ts'
import { isSameResult, type StreamAgreement } from '../stream/stream-agreement.ts'

/** It looks at commands in the background by itself. */
export const STREAM_AGREEMENT: StreamAgreement = {
  isOwnCall: ({ tool }) => tool === 'read_bash',
  toolOf: (name) => hookName(name.replace(/^mcp__(.+?)__/, '$1-')),
  showsCalls: true,
  // It tells the model of a failed call in other words than the stream.
  agree: (shown, given) => shown.isError || given.isError || isSameResult(shown.text, given.text, '******'),
  exceptions: {
    messages: 'compared',
    calls: 'compared; `read_bash` is its own',
    results: 'compared, but for failed calls and images',
  },
}
