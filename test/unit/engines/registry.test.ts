import { expect, test } from 'vitest'
import { claudeCode } from '../../../src/engines/claude-code/engine.ts'
import { requireEngine } from '../../../src/engines/registry.ts'

test('knows claude-code, and an engine of the user’s own', () => {
  const own = { ...claudeCode, name: 'mine' }
  expect(requireEngine('claude-code')).toBe(claudeCode)
  expect(requireEngine('mine', [own])).toBe(own)
})

test.for([
  ['codex', 'The engine "codex" is not built yet. Use one of: claude-code.'],
  ['copilot', 'The engine "copilot" is not built yet. Use one of: claude-code.'],
  ['messages', 'The engine "messages" is not built yet. Use one of: claude-code.'],
  ['cursor', 'The engine "cursor" is not supported. Use one of: claude-code.'],
  ['claude-cod', 'The engine "claude-cod" is not supported. Did you mean "claude-code"? Use one of: claude-code.'],
  ['toString', 'The engine "toString" is not supported. Use one of: claude-code.'],
  ['', 'The engine "" is not supported. Use one of: claude-code.'],
] as const)('refuses %j', ([name, message]) => {
  expect(() => requireEngine(name)).toThrow(expect.objectContaining({ code: 'unsupported-engine', message }) as Error)
})
