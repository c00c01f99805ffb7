import { isSameResult, type StreamAgreement } from '../stream/stream-agreement.ts'

/** Tools that the API runs are called and answered within one answer. */
export const STREAM_AGREEMENT: StreamAgreement = {
  isOwnCall: ({ id }) => id.startsWith('srvtoolu_'),
  toolOf: (name) => name,
  showsCalls: true,
  agree: (shown, given) => shown.isError === given.isError && isSameResult(shown.text, given.text),
  exceptions: {
    messages: 'compared',
    calls: 'compared; tools of the API are not',
    results: 'compared; images are not',
  },
}
