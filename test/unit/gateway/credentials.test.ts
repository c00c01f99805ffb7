import { findWire } from '../../../src/gateway/wires/wires.ts'
import { expect, test } from 'vitest'
import {
  createDummy,
  credentialHeader,
  dummyOf,
  findCredential,
  hasCredential,
} from '../../../src/gateway/credentials.ts'

test.for([
  { environment: { ANTHROPIC_API_KEY: 'a', ANTHROPIC_AUTH_TOKEN: 'b' }, found: { kind: 'api-key', secret: 'a' } },
  { environment: { ANTHROPIC_API_KEY: '', ANTHROPIC_AUTH_TOKEN: 'b' }, found: { kind: 'auth-token', secret: 'b' } },
  {
    environment: { CLAUDE_CODE_OAUTH_TOKEN: ' c\n', ATOMIC_AGENTS_ANTHROPIC_KEY: 'd' },
    found: { kind: 'oauth', secret: 'c' },
  },
  { environment: { ATOMIC_AGENTS_ANTHROPIC_KEY: 'd' }, found: { kind: 'api-key', secret: 'd' } },
])('finds $found.kind in $environment', ({ environment, found }) => {
  expect(findCredential('anthropic-messages', environment)).toEqual(found)
})

test('names every variable when there is no credential', () => {
  expect(() => findCredential('anthropic-messages', { OPENAI_API_KEY: 'x' })).toThrowErrorMatchingInlineSnapshot(
    `[AgentEvalsError: A live run needs a credential and none is set. Set one of ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN, CLAUDE_CODE_OAUTH_TOKEN, ATOMIC_AGENTS_ANTHROPIC_KEY, or play recordings with --source replay. With a Claude subscription, run \`claude setup-token\` and set CLAUDE_CODE_OAUTH_TOKEN: the agent does not see a login in a keychain.]`,
  )
})

test('a broken credential is refused without being shown', () => {
  expect(() =>
    findCredential('anthropic-messages', { ANTHROPIC_API_KEY: 'sk-1\nsk-2' }),
  ).toThrowErrorMatchingInlineSnapshot(
    `[AgentEvalsError: ANTHROPIC_API_KEY contains spaces or control characters. Set it to the bare key.]`,
  )
})

test('each kind goes into its own header', () => {
  expect([
    credentialHeader(findWire('anthropic-messages').api, { kind: 'api-key', secret: 's' }),
    credentialHeader(findWire('anthropic-messages').api, { kind: 'oauth', secret: 's' }),
    credentialHeader(findWire('openai-responses').api, { kind: 'api-key', secret: 's' }),
  ]).toEqual([{ 'x-api-key': 's' }, { authorization: 'Bearer s' }, { authorization: 'Bearer s' }])
})

test('a dummy is found again in either header and is never the same', () => {
  const dummy = createDummy(findWire('anthropic-messages').api, 'oauth')
  expect(dummyOf({ authorization: `Bearer ${dummy}` })).toBe(dummy)
  expect(dummyOf({ 'x-api-key': dummy })).toBe(dummy)
  expect(dummyOf({})).toBeNull()
  expect(createDummy(findWire('anthropic-messages').api, 'oauth')).not.toBe(dummy)
  expect(createDummy(findWire('openai-chat').api, 'api-key')).toMatch(/^sk-proj-/)
})

test('tells whether there is one to try', () => {
  expect(hasCredential('anthropic-messages', { ANTHROPIC_API_KEY: ' ', CLAUDE_CODE_OAUTH_TOKEN: 'c' })).toBe(true)
  expect(hasCredential('openai-chat', { ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: '\n' })).toBe(false)
})
