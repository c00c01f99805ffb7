import { expect, test } from 'vitest'
import { claudeCode } from '../../../../src/engines/claude-code/engine.ts'
import { codex } from '../../../../src/engines/codex/engine.ts'
import { copilot } from '../../../../src/engines/copilot/engine.ts'
import { withModel, withWire } from '../../../../src/case/prepare/resolve-engine.ts'
import { pluginEvalCase } from '../../../support/plugin-eval/plugin-case.ts'
import type { Engine } from '../../../../src/engines/engine.ts'
import type { RunSettings } from '../../../../src/options/settings.ts'

const TASK = { kind: 'task' } as const

test('an engine without a model of its own is asked for one, over the API of that model', () => {
  const found = { engine: copilot, executable: '/bin/copilot', version: '1.0.102' }
  const wires = ['claude-opus-4.8', 'gpt-5.4'].map((model) => withWire(found, model, TASK).engine.wire)
  expect(wires).toEqual(['anthropic-messages', 'openai-responses'])
  expect(() => withWire(found, null, TASK)).toThrow(
    expect.objectContaining({
      code: 'no-model',
      message: 'No model configured. The engine copilot has no default. Set one with --model.',
    }) as Error,
  )
  const other = { engine: codex, executable: '/bin/codex', version: null }
  expect(withWire(other, null, TASK)).toBe(other)
})

test('the user names the model, else the plugin eval, where the engine speaks to such a model', () => {
  const execution = { ...pluginEvalCase().execution, model: 'claude-opus-4-5' }
  const asked = { evalCase: { kind: 'plugin-eval' as const, pluginEval: pluginEvalCase({ execution }) } }
  const modelOf = (engine: Engine, model: string | null): string | null =>
    withModel(engine, asked, { model } as RunSettings).model
  expect(modelOf(claudeCode, null)).toBe('claude-opus-4-5')
  expect(modelOf(claudeCode, 'claude-haiku-4-5')).toBe('claude-haiku-4-5')
  expect(modelOf(codex, null)).toBeNull()
})
