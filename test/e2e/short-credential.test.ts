// @module-tag claude-code
// @module-tag slow
import { expect, test } from 'vitest'
import { installedEngines } from '../support/conformance/matrix.ts'
import { runLive } from '../support/live-sessions.ts'

// Local proxies take any key, so people set `x` or `dummy`.
test('a key of one letter changes no answer', { tags: ['claude-code', 'codex', 'copilot'] }, async () => {
  const runs = await Promise.all(
    (await installedEngines()).map((engine) => runLive(engine, { names: ['text-extra'], key: 'x' })),
  )
  for (const { report, finished } of runs) {
    expect(report.cases.map(({ outcome, error }) => ({ outcome, error }))).toEqual([{ outcome: 'passed', error: null }])
    expect(finished.all).toMatch(/ANTHROPIC_API_KEY, OPENAI_API_KEY are shorter than 16 characters/)
  }
})
