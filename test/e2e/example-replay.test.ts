// @module-tag claude-code
// @module-tag codex
// @module-tag copilot
// @module-tag slow
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { CODEX_VERSIONS, codexFolder, copilotVariables } from '../support/other-engines.ts'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { copyProject } from '../support/copy-project.ts'
import { REPOSITORY } from '../support/repository.ts'
import { readReports, verdicts } from '../support/eval-project.ts'

const [RECORDED_ON, EARLIER] = CODEX_VERSIONS

const codex = async (version: (typeof CODEX_VERSIONS)[number]): Promise<Readonly<Record<string, string>>> => ({
  AGENT_EVALS_ENGINE: 'codex',
  AGENT_EVALS_ENGINES: await codexFolder(version),
})

describe('what the example has recorded', { tags: ['codex', 'copilot'] }, () => {
  test.for([
    ['all of it', `codex ${RECORDED_ON}`, () => codex(RECORDED_ON), [], 19],
    ['its cases', `codex ${EARLIER}`, () => codex(EARLIER), ['evals/cases'], 10],
    [
      'all of it',
      'copilot 1.0.102',
      async () => ({ AGENT_EVALS_ENGINE: 'copilot', ...(await copilotVariables()) }),
      [],
      19,
    ],
  ] as const)('replays %s without a key on %s', async ([, engine, variables, filters, count]) => {
    await using project = await createProject(repositoryVitest())
    await copyProject(join(REPOSITORY, 'example-package'), project.root)
    for (const folder of ['evals', 'agents/archivist/evals'])
      await rm(join(project.root, folder, 'scenarios'), { recursive: true })
    const finished = await project.run(['run', '--project', 'evals', ...filters], {
      env: { ...(await variables()), AGENT_EVALS_SOURCE: 'replay' },
    })
    const reports = [...(await readReports(project)), ...(await readReports(project, 'agents/archivist/evals/reports'))]
    const cases = reports.flatMap((report) => report.cases)
    expect(cases.length, finished.all).toBe(count)
    // The client of a judge warns about its model, and Node about listeners.
    expect(finished.all).not.toMatch(/is deprecated|MaxListeners/)
    expect(reports.flatMap(verdicts), finished.all).toEqual(cases.map(({ name }) => `${name} PASS`))
    expect(
      cases.map(({ source, agent: { runtime, runtime_version: version } }) => [source, `${runtime} ${version}`]),
    ).toEqual(cases.map(() => ['replay', engine]))
  })
})
