import type { ModelApi } from './wire.ts'

/** The API of OpenAI, and of what `OPENAI_BASE_URL` names. */
export const OPENAI_API: ModelApi = {
  name: 'openai',
  variable: 'OPENAI_BASE_URL',
  official: 'https://api.openai.com/v1',
  mount: '/v1',
  models: /^(?:gpt-|chatgpt-|codex-|o\d)/,
  credentials: [
    ['OPENAI_API_KEY', 'api-key'],
    ['ATOMIC_AGENTS_OPENAI_KEY', 'api-key'],
  ],
  dummies: { 'api-key': 'sk-proj-', 'auth-token': 'sk-proj-', oauth: 'sk-proj-' },
}
