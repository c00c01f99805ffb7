// @module-tag claude-code
// @module-tag slow
// @module-tag long
// @module-tag table
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { claudeExecutable } from '../support/engines.ts'
import { repositoryVitest } from '../support/majors.ts'
import { askClaude, askOurs, compareScores } from '../support/plugin-eval/run-both.ts'
import { createProject } from '../support/project.ts'
import { startParityModel } from '../support/plugin-eval/model.ts'
import { PARITY_CASES, paritySuite } from '../support/plugin-eval/suite.ts'

const KEPT = join(import.meta.dirname, '../fixtures/plugin-eval-scores.json')

test.skipIf(claudeExecutable() === null)('gives the scores of claude plugin eval, run by run', async () => {
  let root = ''
  await using model = await startParityModel(() => root)
  await using project = await createProject(repositoryVitest(), {
    ...paritySuite(),
    'vitest.config.ts': `import { agentEvals } from 'vitest-agent-evals'\nexport default { plugins: [agentEvals({ sandbox: 'prefer' })] }\n`,
  })
  root = project.root
  const theirs = await askClaude(project, model.url)
  const ours = await askOurs(project, model.url)

  const rows = compareScores(PARITY_CASES, theirs, ours)
  expect(rows.length).toBeGreaterThanOrEqual(20)

  const kept = JSON.parse(await readFile(KEPT, 'utf8').catch(() => '{}')) as { readonly version?: string }
  if (process.env['UPDATE_PLUGIN_EVAL'] !== undefined) {
    const cases = Object.fromEntries(
      Object.keys(PARITY_CASES).map((name) => [name, { theirs: theirs.cases[name], ours: ours.cases[name] }]),
    )
    await writeFile(KEPT, `${JSON.stringify({ version: theirs.version, cases }, null, 2)}\n`)
    return
  }
  const differing = rows.filter(({ isEqual, mayDiffer }) => !isEqual && !mayDiffer).map(({ line }) => line)
  // Another version may score otherwise; the table says where.
  if (kept.version !== theirs.version) return
  expect(differing).toEqual([])
  const cases = Object.fromEntries(
    Object.keys(PARITY_CASES).map((name) => [name, { theirs: theirs.cases[name], ours: ours.cases[name] }]),
  )
  expect({ version: theirs.version, cases }).toEqual(kept)
})
