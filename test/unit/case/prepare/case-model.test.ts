import { expect, test } from 'vitest'
import { codex } from '../../../../src/engines/codex/engine.ts'
import { copilot } from '../../../../src/engines/copilot/engine.ts'
import { withWire } from '../../../../src/case/prepare/case-model.ts'

test('an engine without a model of its own is asked for one, over the API of that model', () => {
  const found = { engine: copilot, executable: '/bin/copilot', version: '1.0.102' }
  const wires = ['claude-opus-4.8', 'gpt-5.4'].map((model) => withWire(found, model, {}).engine.wire)
  expect(wires).toEqual(['anthropic-messages', 'openai-responses'])
  expect(() => withWire(found, null, {})).toThrow(
    expect.objectContaining({
      code: 'no-model',
      message: 'No model configured. The engine copilot has no default. Set one with --model (AGENT_EVALS_MODEL).',
    }) as Error,
  )
  const other = { engine: codex, executable: '/bin/codex', version: null }
  expect(withWire(other, null, {})).toBe(other)
})
