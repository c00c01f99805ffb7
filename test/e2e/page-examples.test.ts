// @module-tag claude-code
// @module-tag codex
// @module-tag slow
import { expect, test } from 'vitest'
import { docFiles } from '../support/doc-files.ts'
import { readReports, verdicts } from '../support/eval-project.ts'
import { repositoryVitest } from '../support/majors.ts'
import { codexFolder } from '../support/other-engines.ts'
import { describeEvals } from '../support/package-run.ts'
import { createProject } from '../support/project.ts'

const PREFER = { AGENT_EVALS_SANDBOX: 'prefer' }

describeEvals('examples of the docs pass as they are', () => {
  test('the golden test of docs/golden-tests.md', { tags: ['claude-code'] }, async () => {
    await using project = await createProject(repositoryVitest(), {
      '.git/HEAD': '',
      ...(await docFiles('docs/golden-tests.md')),
    })
    const { all } = await project.agentEvals(['run', 'greeter'], { merged: true, env: PREFER })
    const [report] = await readReports(project, 'agents/greeter/evals/reports')
    expect(report === undefined ? all : verdicts(report)).toEqual(['happy/001_opening_hours PASS'])
  })

  test('the scenario for Codex of docs/engines.md, on the case that init writes', { tags: ['codex'] }, async () => {
    await using project = await createProject(repositoryVitest(), {
      '.git/HEAD': '',
      ...(await docFiles('docs/getting-started.md')),
      ...(await docFiles('docs/engines.md')),
    })
    const env = { ...PREFER, AGENT_EVALS_ENGINES: await codexFolder() }
    const { all } = await project.agentEvals(['run', '--engine', 'codex'], { merged: true, env })
    const [report] = await readReports(project)
    expect(report === undefined ? all : verdicts(report)).toEqual(['first-case PASS'])
  })

  test('the case of docs/plugin-eval.md', { tags: ['claude-code'] }, async () => {
    await using project = await createProject(repositoryVitest(), {
      '.git/HEAD': '',
      ...(await docFiles('docs/plugin-eval.md')),
    })
    const { all } = await project.agentEvals(['run'], { merged: true, env: PREFER })
    const [report] = await readReports(project)
    expect(report === undefined ? all : verdicts(report)).toEqual([
      'release-notes PASS',
      'release-notes (without_skill) FAIL',
    ])
  })

  test('the case for a command of docs/plugins.md', { tags: ['claude-code'] }, async () => {
    await using project = await createProject(repositoryVitest(), {
      '.git/HEAD': '',
      ...(await docFiles('docs/plugins.md')),
    })
    const { all } = await project.agentEvals(['run'], { merged: true, env: PREFER })
    const [report] = await readReports(project)
    expect(report === undefined ? all : verdicts(report)).toEqual(['changelog-command PASS'])
  })
})
