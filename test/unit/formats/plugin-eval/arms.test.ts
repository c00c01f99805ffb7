import { expect, test } from 'vitest'
import { isCompared } from '../../../../src/formats/plugin-eval/model.ts'
import { pluginEvalCase } from '../../../support/plugin-eval/plugin-case.ts'

const resumed = pluginEvalCase({ context: { scaffold: null, history: 'h.jsonl', addDirs: [] } })

test('a case runs without its plugin, too, unless it has none or resumes a session that has it', () => {
  expect(isCompared(pluginEvalCase(), 'auto')).toBe(true)
  expect(isCompared(pluginEvalCase(), 'none')).toBe(false)
  expect(isCompared(pluginEvalCase({ pluginDirs: [] }), 'with-without')).toBe(false)
  expect(isCompared(resumed, 'auto')).toBe(false)
  expect(isCompared(resumed, 'with-without')).toBe(true)
})
