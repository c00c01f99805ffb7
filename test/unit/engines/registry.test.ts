import { expect, test } from 'vitest'
import { claudeCode } from '../../../src/engines/claude-code/engine.ts'
import { engines, requireEngine } from '../../../src/engines/registry.ts'

test('knows claude-code, and an engine of the user’s own', () => {
  const own = { ...claudeCode, name: 'mine' }
  expect(requireEngine('claude-code')).toBe(claudeCode)
  expect(requireEngine('mine', [own])).toBe(own)
})

const LIST = Object.keys(engines).join(', ')

test.for([
  [
    'cursor',
    "is not supported: its CLI connects only to its vendor's servers, so no run of it can be recorded or replayed.",
  ],
  ['claude', 'is not supported. Did you mean "claude-code"?'],
  ['claude-cod', 'is not supported. Did you mean "claude-code"?'],
  ['codeks', 'is not supported. Did you mean "codex"?'],
  ['toString', 'is not supported.'],
  ['', 'is not supported.'],
] as const)('refuses %j', ([name, why]) => {
  const message = `The engine "${name}" ${why} Use one of: ${LIST}.`
  expect(() => requireEngine(name)).toThrow(expect.objectContaining({ code: 'unsupported-engine', message }) as Error)
})
