import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { CODEX_VERSIONS, codexFolder } from '../support/other-engines.ts'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { REPOSITORY } from '../support/repository.ts'
import { readReports, verdicts } from './eval-project.ts'

const [RECORDED_ON, EARLIER] = CODEX_VERSIONS

describe('what the example has recorded', { tags: ['codex'] }, () => {
  test.for([
    ['all of it', RECORDED_ON, [], 19],
    ['its cases', EARLIER, ['evals/cases'], 10],
  ] as const)('replays %s without a key on codex %s', async ([, version, filters, count]) => {
    await using project = await createProject(repositoryVitest())
    const isOwn = (file: string): boolean => !/\/(?:node_modules|\.vitest|reports|runs)(?:\/|$)/.test(file)
    await cp(join(REPOSITORY, 'example-package'), project.root, { recursive: true, filter: isOwn })
    for (const folder of ['evals', 'agents/archivist/evals'])
      await rm(join(project.root, folder, 'scenarios'), { recursive: true })
    const finished = await project.run(['run', '--project', 'evals', ...filters], {
      env: {
        AGENT_EVALS_ENGINE: 'codex',
        AGENT_EVALS_ENGINES: await codexFolder(version),
        AGENT_EVALS_SOURCE: 'replay',
      },
    })
    const reports = [...(await readReports(project)), ...(await readReports(project, 'agents/archivist/evals/reports'))]
    const cases = reports.flatMap((report) => report.cases)
    expect(cases.length, finished.all).toBe(count)
    expect(reports.flatMap(verdicts), finished.all).toEqual(cases.map(({ name }) => `${name} PASS`))
    expect(cases.map(({ source, agent }) => [source, agent.runtime_version])).toEqual(
      cases.map(() => ['replay', version]),
    )
  })
})
