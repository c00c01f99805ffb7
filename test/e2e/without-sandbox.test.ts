// @module-tag claude-code
// @module-tag slow
import { execFileSync } from 'node:child_process'
import type { FsFixture } from 'fs-fixture'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nodeOutsideContainers, programsWithout, whyNoOwnMachine } from '../support/bare-machine.ts'
import { repositoryVitest } from '../support/majors.ts'
import { createProject, type TestProject } from '../support/project.ts'
import { config, greetings, greeting, PACKAGE, readReport, verdicts } from '../support/eval-project.ts'

const isRoot = process.getuid?.() === 0
const reason = whyNoOwnMachine()
const NOBODY = ['--reuid=65534', '--regid=65534', '--clear-groups']

/** A project on a machine that is no container and has no sandbox. */
async function createBareProject(node: string, owner: 'a user' | 'root', isRepository: boolean): Promise<TestProject> {
  const project = await createProject(
    { ...repositoryVitest(), node },
    {
      ...PACKAGE,
      'vitest.config.ts': config('{}'),
      ...greetings({ 'a-scenario': 'Hello, World' }),
      ...(isRepository ? { '.git/HEAD': 'ref: refs/heads/main\n' } : {}),
      // It has no answers, so it asks for a model.
      'evals/cases/b-live.yaml': greeting('b-live'),
    },
  )
  if (isRoot && owner === 'a user') execFileSync('chown', ['-R', '65534:65534', project.root, project.home])
  return project
}

describe.skipIf(reason !== null)(
  `on a machine without a sandbox${reason === null ? '' : ` (skipped: ${reason})`}`,
  { tags: ['claude-code'] },
  () => {
    let programs: FsFixture
    let user: Awaited<ReturnType<typeof nodeOutsideContainers>>
    let root: typeof user
    beforeAll(async () => {
      programs = await programsWithout('bwrap', 'socat')
      user = await nodeOutsideContainers(isRoot ? NOBODY : [])
      root = await nodeOutsideContainers([])
    })
    afterAll(() => Promise.all([programs, user, root].map((fixture) => fixture?.rm())))

    test.for([
      ['a user', 'a repository', {}, 'PASS'],
      ['a user', 'no repository', {}, 'PASS'],
      ['root', 'no repository', {}, 'ERROR sandbox-unavailable'],
      ['a user', 'a repository', { VITEST_VSCODE: 'true' }, 'ERROR sandbox-unavailable'],
      ['root', 'a repository', {}, 'ERROR sandbox-unavailable'],
    ] as const)('the scenario of %s in %s with %j ends as %s', async ([owner, place, variables, ended], { skip }) => {
      if (owner === 'root' && !isRoot) return skip('only root can show it')
      const { node } = owner === 'root' ? root : user
      await using project = await createBareProject(node, owner, place === 'a repository')
      const finished = await project.run(['run', '--project', 'evals', 'a-scenario'], {
        env: { PATH: programs.path, ...variables },
      })
      const report = await readReport(project)
      expect(verdicts(report), finished.all).toEqual([`a-scenario ${ended}`])
      const isPlayed = ended === 'PASS'
      expect(report.cases[0]?.sandbox).toEqual(
        isPlayed ? { asked: 'auto', enforced: 'none (bubblewrap not found)' } : null,
      )
      expect(finished.all.split('\n').filter((line) => line.startsWith('agent-evals: NO SANDBOX'))).toHaveLength(
        isPlayed ? 1 : 0,
      )
    })

    test('a live case is errored, with every way to run it', async () => {
      await using project = await createBareProject(user.node, 'a user', true)
      const finished = await project.run(['run', '--project', 'evals', 'b-live'], {
        env: { PATH: programs.path, AGENT_EVALS_SOURCE: 'live', ANTHROPIC_API_KEY: 'sk-none' },
      })
      const report = await readReport(project)
      expect(verdicts(report), finished.all).toEqual(['b-live ERROR sandbox-unavailable'])
      for (const way of ["sandbox: 'none'", '--sandbox none', 'AGENT_EVALS_SANDBOX=none'])
        expect(report.cases[0]?.error).toContain(way)
    })
  },
)
