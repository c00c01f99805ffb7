import { openaiChat } from './openai-chat.ts'
import type { ModelApi, Wire } from './wire.ts'

/** A server that is compatible with OpenAI's API, as a user names it. */
export interface JudgeEndpoint {
  /** Its base URL, such as `http://127.0.0.1:11434/v1`. */
  readonly url: string
  /** The environment variable that holds its key; absent where it takes none. */
  readonly key?: string | undefined
}

/** The wire to an API that is compatible with that of OpenAI. */
export function compatibleWire(api: Pick<ModelApi, 'credentials' | 'name' | 'official'> & Partial<ModelApi>): Wire {
  const ours = 'agent-evals-'
  const usual = { variable: null, mount: '/v1', dummies: { 'api-key': ours, 'auth-token': ours, oauth: ours } }
  return { ...openaiChat, name: api.name, api: { ...usual, ...api } }
}

/** Google's models. */
export const google: Wire = compatibleWire({
  name: 'google',
  variable: 'GEMINI_BASE_URL',
  official: 'https://generativelanguage.googleapis.com/v1beta/openai',
  models: /^gem(?:ini|ma)-/,
  credentials: [
    ['GEMINI_API_KEY', 'api-key'],
    ['GOOGLE_API_KEY', 'api-key'],
  ],
})

/** The wire to a user's own server. */
export function endpointWire(name: string, { url, key }: JudgeEndpoint): Wire {
  const credentials = key === undefined ? [] : ([[key, 'api-key']] as const)
  return compatibleWire({ name, official: url, isReseller: true, credentials })
}
