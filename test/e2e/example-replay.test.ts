// @module-tag claude-code
// @module-tag codex
// @module-tag copilot
// @module-tag slow
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { CODEX_VERSION, codexFolder, copilotVariables, COPILOT_VERSION } from '../support/other-engines.ts'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { copyProject } from '../support/copy-project.ts'
import { REPOSITORY } from '../support/repository.ts'
import { readReports, verdicts } from '../support/eval-project.ts'

describe('what the example has recorded', { tags: ['codex', 'copilot'] }, () => {
  // `cli-versions.test.ts` replays a case of each kind on the oldest versions.
  test.for([
    ['codex', CODEX_VERSION, async () => ({ AGENT_EVALS_ENGINES: await codexFolder() })],
    ['copilot', COPILOT_VERSION, copilotVariables],
  ] as const)('replays without a key on %s %s', async ([engine, version, variables]) => {
    await using project = await createProject(repositoryVitest())
    await copyProject(join(REPOSITORY, 'example-package'), project.root)
    for (const folder of ['evals', 'agents/archivist/evals'])
      await rm(join(project.root, folder, 'scenarios'), { recursive: true })
    const finished = await project.run(['run', '--project', 'evals'], {
      env: { ...(await variables()), AGENT_EVALS_ENGINE: engine, AGENT_EVALS_SOURCE: 'replay' },
    })
    const reports = [...(await readReports(project)), ...(await readReports(project, 'agents/archivist/evals/reports'))]
    const cases = reports.flatMap((report) => report.cases)
    expect(cases.length, finished.all).toBe(19)
    // The client of a judge warns about its model, and Node about listeners.
    expect(finished.all).not.toMatch(/is deprecated|MaxListeners/)
    expect(reports.flatMap(verdicts), finished.all).toEqual(cases.map(({ name }) => `${name} PASS`))
    expect(
      cases.map(({ source, agent: { runtime, runtime_version: found } }) => [source, `${runtime} ${found}`]),
    ).toEqual(cases.map(() => ['replay', `${engine} ${version}`]))
  })
})
