// @module-tag slow
// @module-tag long
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createFixture, type FsFixture } from 'fs-fixture'
import { describe, expect, test } from 'vitest'
import { CONFIG, greeting, saying } from '../support/eval-project.ts'
import { outputOf } from '../support/command.ts'
import { install } from '../support/majors.ts'
import { REPOSITORY } from '../support/repository.ts'
import { startProcess, type FinishedProcess } from '../support/running-process.ts'
import { packedTarball } from '../support/tarball.ts'

const PACKAGES = ['one', 'two', 'three']
const CASES = PACKAGES.flatMap((name): [string, string][] => [
  [`packages/${name}/package.json`, JSON.stringify({ name, version: '1.0.0', private: true, type: 'module' })],
  [`packages/${name}/package.agent.json`, JSON.stringify({ name, version: '1.0.0' })],
  [`packages/${name}/evals/cases/${name}.yaml`, greeting(name)],
  [`packages/${name}/evals/scenarios/${name}.yaml`, saying('Hello, World')],
])

/** A monorepo whose root alone has the plugin. */
async function createMonorepo(): Promise<FsFixture> {
  const devDependencies = { vite: '8.3.8', vitest: '4.1.12', 'vitest-agent-evals': `file:${await packedTarball()}` }
  // Yarn takes the newest Vite that Vitest allows, and fails where a registry lacks an optional dependency of it.
  const resolutions = { vite: devDependencies.vite }
  const root = { name: 'root', private: true, type: 'module', workspaces: ['packages/*'], devDependencies, resolutions }
  return createFixture({
    'package.json': JSON.stringify(root),
    'pnpm-workspace.yaml': 'packages:\n  - packages/*\n',
    // Yarn does not read the settings of npm.
    '.yarnrc.yml': `nodeLinker: node-modules\nenableTelemetry: false\nnpmRegistryServer: ${await registry()}\n`,
    'vitest.config.ts': CONFIG,
    ...Object.fromEntries(CASES),
  })
}

async function registry(): Promise<string> {
  return (await outputOf('npm', ['config', 'get', 'registry'])).trim().replace(/\/$/, '')
}

function run({ path }: FsFixture, program: string, args: readonly string[]): Promise<FinishedProcess> {
  const env = { PATH: process.env['PATH'], HOME: join(path, 'home'), NO_COLOR: '1', AGENT_EVALS_ENGINES: REPOSITORY }
  return startProcess(program, args, { cwd: path, env }).finished
}

async function reportsOf({ path }: FsFixture, name: string): Promise<number> {
  return (await readdir(join(path, 'packages', name, 'evals/reports')).catch(() => [])).length
}

/** A package manager: how it is started, what it installs with, and what comes before a command of the project. */
interface Manager {
  readonly name: string
  readonly program: () => Promise<readonly string[]>
  readonly install: readonly string[]
  readonly exec: readonly string[]
}

const OFFLINE = ['install', '--prefer-offline', '--ignore-scripts']
const managers: readonly Manager[] = [
  { name: 'npm', program: async () => ['npm'], install: OFFLINE, exec: ['exec', '--'] },
  {
    name: 'pnpm',
    program: async () => ['node', join(await install('pnpm-10.34.8', { pnpm: '10.34.8' }), 'pnpm/bin/pnpm.cjs')],
    install: OFFLINE,
    exec: ['exec'],
  },
  {
    name: 'Yarn',
    program: async () => [
      'node',
      join(await install('yarn-4.18.1', { '@yarnpkg/cli-dist': '4.18.1' }), '@yarnpkg/cli-dist/bin/yarn.js'),
    ],
    install: ['install', '--no-immutable', '--mode=skip-build'],
    exec: [],
  },
]

describe.each(managers)(
  'a monorepo of three packages, installed by $name',
  ({ name, program: programOf, install: args, exec }) => {
    test(
      'runs the evals of all packages by the plugin of its root, and says where the plugin has to be',
      { tags: ['claude-code'] },
      async () => {
        await using repository = await createMonorepo()
        const [program = '', ...first] = await programOf()
        await outputOf(program, [...first, ...args], { cwd: repository.path })
        // Both programs are started by each manager, and what they run differs in nothing.
        const command = name === 'npm' ? ['vitest', 'run', '--project', 'evals'] : ['vitest-agent-evals', 'run']
        const all = await run(repository, program, [...first, ...exec, ...command])
        expect(all.exitCode, all.all).toBe(0)
        expect(await Promise.all(PACKAGES.map((one) => reportsOf(repository, one)))).toEqual([1, 1, 1])
        expect(existsSync(repository.getPath('evals'))).toBe(false)

        if (name !== 'npm') return
        const two = await run(repository, program, [...first, ...exec, 'vitest-agent-evals', 'run', 'packages/two'])
        expect(two.exitCode, two.all).toBe(0)
        expect(two.all).toContain('Agent Evals  1 passed (1)')
        expect(await Promise.all(PACKAGES.map((one) => reportsOf(repository, one)))).toEqual([1, 2, 1])

        // Where only its packages have the plugin.
        await repository.writeFile('vitest.config.ts', "export default { test: { projects: ['packages/*'] } }\n")
        await repository.writeFile('packages/two/vitest.config.ts', CONFIG)
        const misplaced = await run(repository, program, [...first, ...exec, ...command])
        expect(misplaced.exitCode).toBe(1)
        expect(misplaced.all).toContain(
          'Vitest takes projects from the root configuration only. Move agentEvals() there:',
        )
      },
    )
  },
)
