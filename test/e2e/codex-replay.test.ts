import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { CODEX_VERSIONS, codexFolder } from '../support/other-engines.ts'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { REPOSITORY } from '../support/repository.ts'
import { readReports, verdicts } from './eval-project.ts'

describe('the recorded cases of the example', { tags: ['codex'] }, () => {
  test.for(CODEX_VERSIONS)('replay without a key on codex %s', async (version) => {
    await using project = await createProject(repositoryVitest())
    const isOwn = (file: string): boolean => !/\/(?:node_modules|\.vitest|reports)(?:\/|$)/.test(file)
    await cp(join(REPOSITORY, 'example-package'), project.root, { recursive: true, filter: isOwn })
    await rm(join(project.root, 'evals/scenarios'), { recursive: true })
    const finished = await project.run(['run', '--project', 'evals', 'evals/cases'], {
      env: {
        AGENT_EVALS_ENGINE: 'codex',
        AGENT_EVALS_ENGINES: await codexFolder(version),
        AGENT_EVALS_SOURCE: 'replay',
      },
    })
    const [report] = await readReports(project)
    expect(report === undefined ? [] : verdicts(report), finished.all).toEqual(
      report?.cases.map(({ name }) => `${name} PASS`) ?? ['a report'],
    )
    expect(report?.cases.map(({ source, agent }) => [source, agent.runtime_version])).toEqual(
      report?.cases.map(() => ['replay', version]),
    )
  })
})
