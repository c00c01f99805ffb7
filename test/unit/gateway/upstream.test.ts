import { expect, test } from 'vitest'
import { findUpstream } from '../../../src/gateway/gateway.ts'
import { anthropicMessages } from '../../../src/gateway/wires/anthropic-messages.ts'

test.for([
  { given: undefined, found: 'https://api.anthropic.com/' },
  { given: ' ', found: 'https://api.anthropic.com/' },
  { given: 'http://127.0.0.1:4000/anthropic/', found: 'http://127.0.0.1:4000/anthropic/' },
])('goes to $found for $given', ({ given, found }) => {
  expect(findUpstream(anthropicMessages.api, { ANTHROPIC_BASE_URL: given }).href).toBe(found)
})

test.for(['api.anthropic.com', 'file:///etc/passwd', 'http://'])('refuses %s', (given) => {
  expect(() => findUpstream(anthropicMessages.api, { ANTHROPIC_BASE_URL: given })).toThrowErrorMatchingInlineSnapshot(
    `[AgentEvalsError: ANTHROPIC_BASE_URL is not an http or https address. Correct it or unset it.]`,
  )
})
