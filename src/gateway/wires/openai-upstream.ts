import type { WireUpstream } from './wire.ts'

/** Where both APIs of OpenAI lead to. */
export const OPENAI_UPSTREAM: WireUpstream = {
  variable: 'OPENAI_BASE_URL',
  official: 'https://api.openai.com/v1',
  mount: '/v1',
}
