// @module-tag claude-code
// @module-tag slow
import { rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createFixture } from 'fs-fixture'
import { describe, expect, test } from 'vitest'
import { durableProject, type DurableProject } from '../support/durable-project.ts'
import { claudeExecutable } from '../support/engines.ts'
import { repositoryVitest } from '../support/majors.ts'
import { rerunBy } from '../support/rerun-by.ts'
import type { ReportCase } from '../../src/report/report.ts'

const vitest4 = repositoryVitest()
const SKILL = '---\nname: notes\ndescription: Writes notes.\n---\nWrite them.\n'
const CONFIG = { version: 1, engine: 'claude-code' }
const PROGRAM = '#!/bin/sh\ncat > /dev/null\n'

describe.skipIf(claudeExecutable() === null)(
  'a case that has not changed',
  { tags: ['claude-code'], timeout: 900_000 },
  () => {
    test('is taken over, shown as cached, and runs when any part of its input is another one', async () => {
      await using programs = await createFixture({ 'hook.sh': PROGRAM })
      const program = programs.getPath('hook.sh')
      await using durable = await durableProject(vitest4, { c: 'quick' }, { workers: 'one', files: filesFor(program) })
      const { files, root } = durable.project
      await symlink('v1', join(root, 'hooks/current'))
      const first = await run(durable)
      expect(first.one).toMatchObject({ cached: false, outcome: 'passed', reused_from: null })
      const { one, output } = await run(durable)
      expect(one).toMatchObject({
        cached: true,
        outcome: 'passed',
        duration_seconds: first.one.duration_seconds,
        cost_usd: 0,
      })
      expect(output).toMatch(
        /^ *Cached {2}1 unchanged since \S+, which took [\d.]+ s \(run --no-cache plays them again\)$/m,
      )
      expect(output).not.toContain('Reused')
      // What was taken over is taken over again.
      expect((await run(durable)).one).toMatchObject({ cached: true, reused_from: one.reused_from })

      // What a run is given, and what takes it back.
      const isCached = async (env?: Record<string, string>): Promise<boolean> => (await run(durable, env)).one.cached
      const edit = (path: string, text: string) => () => files.writeFile(path, text)
      const changes: Readonly<Record<string, () => Promise<void>>> = {
        'a skill': edit('skills/notes/SKILL.md', `${SKILL}Quickly.\n`),
        'what a link leads to': async () => {
          await rm(join(root, 'hooks/current'))
          await symlink('v2', join(root, 'hooks/current'))
        },
        'the program of a hook': () => writeFile(program, `${PROGRAM}exit 0\n`),
      }
      for (const [what, change] of Object.entries(changes)) {
        await change()
        expect(await isCached(), `after a change of ${what}`).toBe(false)
      }
      expect(await isCached()).toBe(true)
      expect(await isCached({ AGENT_EVALS_CACHE: '0' }), 'without a cache').toBe(false)
      expect(await isCached({ CI: '1' }), 'in CI').toBe(false)

      const named = { CI: '1', AGENT_EVALS_CACHE: join(root, '.restored') }
      expect(await isCached(named), 'with an empty folder in CI').toBe(false)
      // Another machine has no run folders.
      await rm(join(root, '.vitest'), { recursive: true })
      const elsewhere = await run(durable, named)
      expect(elsewhere.one).toMatchObject({ cached: true, notices: [expect.stringContaining('--no-cache')] })
      expect(elsewhere.one.runs[0]).toMatchObject({ folder: null })

      await files.writeFile('evals/eval-config.json', JSON.stringify({ ...CONFIG, sandbox: { network: true } }))
      expect(await isCached(named), 'with a network').toBe(false)
      expect(await isCached(named), 'with a network, and unchanged').toBe(false)
    })

    test('is taken over by a watching Vitest where a save has changed nothing', async ({ onTestFinished }) => {
      await using programs = await createFixture({ 'hook.sh': PROGRAM })
      const files = filesFor(programs.getPath('hook.sh'))
      await using durable = await durableProject(vitest4, { c: 'quick' }, { workers: 'one', files })
      const { project, mark, temporary } = durable
      const watching = project.start(['--watch', '--project', 'evals', '--reporter=verbose'], {
        env: { DURABLE: mark, TMPDIR: temporary, AGENT_EVALS_CACHE: '1' },
      })
      onTestFinished(() => watching.kill())
      await watching.waitFor(/for file changes/)
      const cached = async (text: string): Promise<readonly boolean[]> => {
        await rerunBy(watching, () => project.files.writeFile('evals/fixtures/a.txt', text))
        return (await durable.reports()).at(-1)?.cases.map((one) => one.cached) ?? []
      }
      expect(await cached('b\n'), watching.output()).toEqual([false])
      expect(await cached('b\n\n'), watching.output()).toEqual([false])
      expect(await cached('b\n\n'), watching.output()).toEqual([true])
    })

    test('is no test in TypeScript and none that failed, which run each time', async () => {
      const files = {
        'evals/greets.eval.ts':
          "import { test } from 'vitest-agent-evals/test'\ntest('greets', async ({ expect, agent }) => expect(await agent.run('Say hello.')).toContainOutput('Hello'))\n",
        'evals/scenarios/greets.yaml': 'turns: [Hello]\n',
      }
      await using durable = await durableProject(vitest4, { c: 'fails' }, { workers: 'one', files })
      for (let round = 0; round < 2; round += 1) {
        const cases = (await run(durable)).cases.map(({ name, outcome, cached }) => `${name} ${outcome} ${cached}`)
        expect(cases.toSorted()).toEqual(['c failed false', 'greets passed false'])
      }
    })
  },
)

function filesFor(program: string): Record<string, string> {
  const hook = { type: 'command', command: `${program} || true` }
  return {
    'skills/notes/SKILL.md': SKILL,
    'evals/fixtures/a.txt': 'a\n',
    'hooks/v1/mode.txt': 'first\n',
    'hooks/v2/mode.txt': 'second\n',
    'evals/cases/c.yaml':
      'name: c\ninput:\n  prompt: Say hello.\n  files: [fixtures/a.txt]\nexpected:\n  contains: [Hello]\njudge:\n  criteria: It greets.\n',
    'hooks/hooks.json': JSON.stringify({ version: 1, hooks: { 'session-start': [{ hooks: [hook] }] } }),
  }
}

async function run(
  durable: DurableProject,
  env: Record<string, string> = {},
): Promise<{ readonly one: ReportCase; readonly cases: readonly ReportCase[]; readonly output: string }> {
  const before = (await durable.reports()).length
  const { all } = await durable.start([], { AGENT_EVALS_CACHE: '1', ...env }).finished
  const reports = await durable.reports()
  const cases = reports.at(-1)?.cases ?? []
  const [one] = cases
  if (one === undefined || reports.length === before) throw new Error(all)
  return { one, cases, output: all }
}
