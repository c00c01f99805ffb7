import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createFixture, type FileTree, type FsFixture } from 'fs-fixture'
import { installedModules, link } from './consumer.ts'
import type { VitestMajor } from './majors.ts'
import { startProcess, type FinishedProcess, type ProcessOptions, type RunningProcess } from './running-process.ts'
import { REPOSITORY } from './repository.ts'

/** A temporary project that has vitest-agent-evals and a Vitest installed. Disposing ends its processes and removes it. */
export interface TestProject extends AsyncDisposable {
  /** Absolute path of the project: `<root>` in outputs. */
  readonly root: string
  /** The HOME of its processes, empty at first. */
  readonly home: string
  readonly files: FsFixture
  readonly major: VitestMajor
  /** Runs Vitest's own command to its end. */
  run(args: readonly string[], options?: ProcessOptions): Promise<FinishedProcess>
  /** Starts Vitest's own command, for watch mode and interrupts. */
  start(args: readonly string[], options?: ProcessOptions): RunningProcess
  /** Runs the `agent-evals` command to its end. */
  agentEvals(args: readonly string[], options?: ProcessOptions): Promise<FinishedProcess>
  /** Starts the `agent-evals` command. */
  startAgentEvals(args: readonly string[], options?: ProcessOptions): RunningProcess
}

/**
 * How many workers Vitest may start. Each computes as long as half a session before its first case, so it is one, unless
 * several files have to be under way at the same time.
 */
export type Workers = 'one' | 'default'

/** Creates a project with the files. Without a package.json of their own, they get a private ESM one. */
export async function createProject(
  major: VitestMajor,
  files: FileTree = {},
  workers: Workers = 'one',
): Promise<TestProject> {
  const modules = await installedModules(major)
  const fixture = await createFixture({ 'package.json': '{ "private": true, "type": "module" }\n', ...files })
  const home = await createFixture()
  const root = fixture.path.replace(/\/$/, '')
  await linkModules(modules, join(root, 'node_modules'))
  const running = new Set<RunningProcess>()

  const startScript = (script: string, args: readonly string[], options: ProcessOptions = {}): RunningProcess => {
    const child = startProcess(major.node, [script, ...args], {
      cwd: root,
      ...options,
      env: {
        ...inheritedVariables(),
        HOME: home.path,
        NO_COLOR: '1',
        ...(workers === 'one' ? { VITEST_MAX_WORKERS: '1' } : {}),
        ...options.env,
      },
      folders: { root, home: home.path.replace(/\/$/, ''), modules, repository: REPOSITORY, ...options.folders },
    })
    running.add(child)
    void child.finished.finally(() => running.delete(child))
    return child
  }
  const start: TestProject['start'] = (args, options) => startScript(major.vitestBin, args, options)
  const startAgentEvals: TestProject['start'] = (args, options) =>
    startScript(join(root, 'node_modules/vitest-agent-evals/dist/cli/main.js'), args, options)

  return {
    root,
    home: home.path.replace(/\/$/, ''),
    files: fixture,
    major,
    start,
    startAgentEvals,
    run: (args, options) => start(args, options).finished,
    agentEvals: (args, options) => startAgentEvals(args, options).finished,
    async [Symbol.asyncDispose]() {
      await Promise.all([...running].map((child) => child.kill()))
      await Promise.all([fixture.rm(), home.rm()])
    },
  }
}

/** Each project has a `node_modules` of its own, since Vitest caches in it. */
async function linkModules(modules: string, into: string): Promise<void> {
  for (const name of await readdir(modules)) {
    const packages = name.startsWith('@')
      ? (await readdir(join(modules, name))).map((inner) => `${name}/${inner}`)
      : [name]
    for (const one of packages) await link(join(modules, one), join(into, one))
  }
  await link('../vitest/vitest.mjs', join(into, '.bin/vitest'))
  await link('../vitest-agent-evals/dist/cli/main.js', join(into, '.bin/vitest-agent-evals'))
  await link('../vitest-agent-evals/dist/cli/main.js', join(into, '.bin/agent-evals'))
  await link('../@anthropic-ai/claude-code/bin/claude.exe', join(into, '.bin/claude'))
}

// A test that runs twice wants to see both runs.
const NO_CACHE = { AGENT_EVALS_CACHE: '0' }

/** Lets `record` take scenarios for the model, as the script does that records the examples. */
export const RECORDS_SCENARIOS = { VITEST_AGENT_EVALS_RECORD_SCENARIOS: '1' }

/** Nothing of the outer run may steer the inner one: no CI, no credentials, no settings of Vitest or of this package. */
function inheritedVariables(): NodeJS.ProcessEnv {
  const names = ['PATH', 'TMPDIR', 'LANG', 'USER', 'SHELL', 'TERM']
  const inherited = names.map((name) => [name, process.env[name]]).filter(([, value]) => value !== undefined)
  return { ...Object.fromEntries(inherited), ...NO_CACHE, ...RECORDS_SCENARIOS }
}
