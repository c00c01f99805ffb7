// @module-tag claude-code
// @module-tag slow
import { expect, test } from 'vitest'
import { installedEngines } from '../support/conformance/matrix.ts'
import { runHostile } from '../support/hostile-sessions.ts'

// Local proxies take any key, so people set `x` or `dummy`.
test('a key of one letter changes no answer', { tags: ['claude-code', 'codex', 'copilot'] }, async () => {
  const runs = await Promise.all(
    (await installedEngines()).map((engine) =>
      runHostile(engine, { attacks: {}, innocents: ['text-extra'], key: 'x' }),
    ),
  )
  for (const { report, finished } of runs) {
    expect(report.cases.map(({ outcome, error }) => ({ outcome, error }))).toEqual([{ outcome: 'passed', error: null }])
    expect(finished.all).toMatch(/ANTHROPIC_API_KEY, OPENAI_API_KEY are shorter than 16 characters/)
  }
})
