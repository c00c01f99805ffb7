// @module-tag claude-code
// @module-tag slow
// @module-tag long
import { expect, test } from 'vitest'
import { claudeExecutable } from '../support/engines.ts'
import { EXAMPLE_CASES } from '../support/plugin-eval/example.ts'
import { compareSuite, keptOurs } from '../support/plugin-eval/run-both.ts'
import { PARITY_CASES } from '../support/plugin-eval/suite.ts'

/** Cases that no recording shows, and those whose judge a recording would answer for; plugin-eval-replay has the others. */
const NEEDED = Object.entries(PARITY_CASES).flatMap(([name, one]) =>
  EXAMPLE_CASES.includes(name) && !/type: (?:llm|baseline)/.test(JSON.stringify(one)) ? [] : [name],
)

test.skipIf(claudeExecutable() === null)(
  'gives the scores of claude plugin eval, run by run',
  { timeout: 1_200_000 },
  async () => {
    const { rows, theirs, ours, kept, output } = await compareSuite({
      cases: PARITY_CASES,
      file: 'plugin-eval-scores.json',
      needed: NEEDED,
    })
    expect(rows.length).toBeGreaterThanOrEqual(20)
    // Another version may score otherwise; the table says where.
    if (kept.version !== theirs.version) return
    expect(
      rows.filter(({ isEqual, mayDiffer }) => !isEqual && !mayDiffer).map(({ line }) => line),
      output,
    ).toEqual([])
    expect(ours).toEqual(keptOurs(kept, Object.keys(ours)))
  },
)
