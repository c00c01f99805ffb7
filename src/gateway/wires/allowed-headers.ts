const SHARED = [
  'accept',
  'user-agent',
  // Of Copilot, whichever API it asks.
  'x-initiator',
  'x-interaction-type',
  ...['arch', 'helper-method', 'lang', 'os', 'package-version'].map((name) => `x-stainless-${name}`),
  ...['retry-count', 'runtime', 'runtime-version', 'timeout'].map((name) => `x-stainless-${name}`),
]

/** What the engines send to the Messages API of Anthropic; betas of OAuth credentials are in `anthropic-beta`. */
export const ANTHROPIC_HEADERS: ReadonlySet<string> = new Set([
  ...SHARED,
  'anthropic-beta',
  'anthropic-dangerous-direct-browser-access',
  'anthropic-version',
  'x-app',
  'x-claude-code-agent-id',
  'x-claude-code-session-id',
])

/** What the engines send to the APIs of OpenAI. */
export const OPENAI_HEADERS: ReadonlySet<string> = new Set([
  ...SHARED,
  'originator',
  'session-id',
  'thread-id',
  'x-client-request-id',
  'x-codex-beta-features',
  'x-codex-parent-thread-id',
  'x-codex-turn-metadata',
  'x-codex-window-id',
  'x-openai-internal-codex-responses-lite',
  'x-openai-subagent',
])
