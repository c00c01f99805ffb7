// @module-tag claude-code
// @module-tag slow
// @module-tag long
// @module-tag table
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { claudeFolder } from '../support/other-engines.ts'
import { runEvals, TWO_QUERIES } from '../support/skill-project.ts'

test('a version that is not on the list runs full sessions until verify has passed once', async () => {
  await using project = await createProject(repositoryVitest(), TWO_QUERIES)
  const env = {
    AGENT_EVALS_ENGINES: await claudeFolder('2.1.250'),
    AGENT_EVALS_RUNS: '1',
    XDG_CACHE_HOME: join(project.root, 'cache'),
  }
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
    return report.cases.map(({ runs: [first] }) => [first?.decided_by, first?.decided_because, first?.verified])
  }
  const unverified = [
    'full',
    'claude-code 2.1.250 has not been verified: run once with --triggers verify',
    expect.toSatisfy((value) => value == null),
  ]
  expect(await run('auto')).toEqual([unverified, unverified])
  expect((await run('verify')).map((one) => (one as unknown[])[2])).toEqual([true, true])
  expect((await run('auto')).map((one) => (one as unknown[])[0])).toEqual(['probe', 'probe'])
})
