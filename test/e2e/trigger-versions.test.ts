// @module-tag claude-code
// @module-tag slow
// @module-tag long
import { expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { claudeFolder } from '../support/other-engines.ts'
import { runEvals, TWO_QUERIES } from '../support/skill-project.ts'

test('an older version of the CLI proves by two equal starts that first turns may decide', async () => {
  await using project = await createProject(repositoryVitest(), TWO_QUERIES)
  const env = { AGENT_EVALS_ENGINES: await claudeFolder('2.1.250'), AGENT_EVALS_RUNS: '1' }
  const run = async (triggers: string): Promise<readonly unknown[]> => {
    await project.files.rm('evals/reports')
    const { report, all } = await runEvals(project, [], { ...env, AGENT_EVALS_TRIGGERS: triggers })
    expect(
      report.cases.map(({ verdict, agent }) => [verdict, agent.runtime_version]),
      all,
    ).toEqual([
      ['PASS', '2.1.250'],
      ['PASS', '2.1.250'],
    ])
    return report.cases.map(({ runs: [first] }) => [first?.decided_by, first?.decided_because])
  }
  expect(await run('full')).toEqual([
    ['full', null],
    ['full', null],
  ])
  expect(await run('auto')).toEqual([
    ['probe', null],
    ['probe', null],
  ])
})
