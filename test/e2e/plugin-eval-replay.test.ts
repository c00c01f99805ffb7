// @module-tag claude-code
// @module-tag slow
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { claudeExecutable } from '../support/engines.ts'
import { config, readReports } from '../support/eval-project.ts'
import { repositoryVitest } from '../support/majors.ts'
import { readScores } from '../support/plugin-eval/aggregate.ts'
import {
  changedExampleFiles,
  EXAMPLE_CASES,
  EXAMPLE_PLUGIN,
  exampleScenarios,
  exampleSuite,
} from '../support/plugin-eval/example.ts'
import { createProject } from '../support/project.ts'

const KEPT = join(import.meta.dirname, '../fixtures/plugin-eval-scores.json')

test.skipIf(claudeExecutable() === null)(
  'the recorded plugin evals replay without a model, with the scores of claude plugin eval',
  { timeout: 600_000 },
  async () => {
    if (process.env['UPDATE_PLUGIN_EVAL'] !== undefined) await recordExample()
    expect(await changedExampleFiles()).toEqual([])
    expect(EXAMPLE_CASES.length).toBeGreaterThanOrEqual(20)

    await using project = await createProject(repositoryVitest())
    const isOwn = (file: string): boolean => !/\/(?:node_modules|\.vitest|reports|scenarios)(?:\/|$)/.test(file)
    await cp(EXAMPLE_PLUGIN, project.root, { recursive: true, filter: isOwn })
    const finished = await project.run(['run', '--project', 'evals'], {
      env: { AGENT_EVALS_SOURCE: 'replay', AGENT_EVALS_EXPORT: 'plugin-eval' },
    })
    const [report] = await readReports(project)
    const cases = report?.cases ?? []
    expect(cases.length, finished.all).toBeGreaterThanOrEqual(2 * EXAMPLE_CASES.length)
    // Nothing of it passes for what a model said.
    expect(new Set(cases.map(({ source, recorded }) => `${source} of ${recorded?.origin}`))).toEqual(
      new Set(['replay of scenario']),
    )
    const exported = /Export\s+(\S+aggregate-result\.json)/.exec(finished.raw)?.[1] ?? ''
    const { cases: scores } = readScores(await readFile(join(project.root, exported), 'utf8'))
    const kept = JSON.parse(await readFile(KEPT, 'utf8')) as {
      readonly cases: Readonly<Record<string, { readonly theirs: unknown }>>
    }
    expect(scores).toEqual(Object.fromEntries(EXAMPLE_CASES.map((name) => [name, kept.cases[name]?.theirs])))
  },
)

async function recordExample(): Promise<void> {
  const files = exampleSuite()
  for (const folder of ['evals', 'skills', '.claude-plugin'])
    await rm(join(EXAMPLE_PLUGIN, folder), { recursive: true, force: true })
  for (const [path, content] of Object.entries({ ...files, ...exampleScenarios() })) {
    const to = join(EXAMPLE_PLUGIN, path)
    await mkdir(dirname(to), { recursive: true })
    await writeFile(to, content as Buffer | string)
  }
  await using project = await createProject(repositoryVitest(), {
    ...files,
    ...exampleScenarios(),
    'vitest.config.ts': config(`{ sandbox: 'prefer', scaffold: true, threshold: 0, source: 'record' }`),
  })
  const { all, exitCode } = await project.run(['run', '--project', 'evals'])
  if (exitCode !== 0) throw new Error(all)
  await cp(join(project.root, 'evals/recordings'), join(EXAMPLE_PLUGIN, 'evals/recordings'), { recursive: true })
}
