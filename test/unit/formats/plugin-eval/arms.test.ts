import { expect, test } from 'vitest'
import { isCompared } from '../../../../src/formats/plugin-eval/model.ts'
import { pluginEvalCase } from '../../../support/plugin-eval/plugin-case.ts'

const AT = { line: 1, column: 1 }
const history = { path: 'h.jsonl', file: '/plug/evals/one/h.jsonl', at: AT }
const resumed = pluginEvalCase({ context: { scaffold: null, history, addDirs: [] } })

test('a case runs without its plugin, too, unless it has none or resumes a session that has it', () => {
  expect(isCompared(pluginEvalCase(), 'auto')).toBe(true)
  expect(isCompared(pluginEvalCase(), 'none')).toBe(false)
  expect(isCompared(pluginEvalCase({ pluginDirs: [] }), 'with-without')).toBe(false)
  expect(isCompared(resumed, 'auto')).toBe(false)
  expect(isCompared(resumed, 'with-without')).toBe(true)
})
