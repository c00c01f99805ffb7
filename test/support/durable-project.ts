import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import type { FileTree } from 'fs-fixture'
import type { Report } from '../../src/report/report.ts'
import type { VitestMajor } from './majors.ts'
import { createProject, type TestProject, type Workers } from './project.ts'
import { SHELL_ENGINE, shellCases } from './shell-engine.ts'
import type { ProcessOptions, RunningProcess } from './running-process.ts'

/** What the model of a case says or does. */
export type Script = 'slow' | 'quick' | 'fails' | { readonly says: string; readonly does?: string }

/** A project whose every process and temporary folder can be found again. */
export interface DurableProject extends AsyncDisposable {
  readonly project: TestProject
  /** In every process's environment, the agents' too. */
  readonly mark: string
  /** The folder for temporary files of all its processes. */
  readonly temporary: string
  /** Starts the evals of the project. */
  start(args?: readonly string[], env?: ProcessOptions['env']): RunningProcess
  /** Starts the command `agent-evals`. */
  command(args: readonly string[]): RunningProcess
  /** Runs the evals through a shell, `$@` being the command, to the end; outputs come back byte for byte. */
  shell(script: string, args?: readonly string[], env?: ProcessOptions['env']): Promise<RawOutput>
  /** Processes of the project and of its agents that are alive, by command line. */
  alive(): Promise<readonly string[]>
  /** Ids of the project's processes with such a command line. */
  processes(command: RegExp): Promise<readonly number[]>
  /** Sockets and workspaces that were left behind. */
  leftovers(): Promise<readonly string[]>
  /** Waits until as many agents of slow cases work; throws with its output when the run ends before. */
  working(run: RunningProcess, count: number): Promise<void>
  /** Mounts a file system of its own at a folder of the project, and returns its path. Only root may. */
  mount(folder: string, options: string): Promise<string>
  /** How many runs have ended, by the journals. */
  ended(): Promise<number>
  /** The reports of the package in that folder, by time. */
  reports(folder?: string): Promise<readonly Report[]>
}

/** What a shell left, with all its control characters. */
export interface RawOutput {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

/** How the project is configured. */
export interface DurableOptions {
  readonly pool?: 'forks' | 'threads'
  /** Further options of the plugin. */
  readonly plugin?: Readonly<Record<string, unknown>>
  /** Text inside `defineConfig({ test: { ... } })`. */
  readonly test?: string
  readonly files?: FileTree
  /** @default 'default' */
  readonly workers?: Workers
  /** What runs the cases. `shell` takes milliseconds, and has the script of a case as its prompt. @default 'claude-code' */
  readonly engine?: 'claude-code' | 'shell'
}

/** Makes a project of AAM cases that are answered by scenarios. */
export async function durableProject(
  major: VitestMajor,
  cases: Readonly<Record<string, Script>>,
  options: DurableOptions = {},
): Promise<DurableProject> {
  const mark = `durable-${Math.random().toString(36).slice(2)}`
  const temporary = await mkdtemp('/tmp/dur-')
  const files = { ...packageFiles(cases, mark, options), ...options.files }
  const project = await createProject(major, files, options.workers ?? 'default')
  const mounted: string[] = []
  const alive = async (): Promise<readonly string[]> =>
    (await findProcesses(`DURABLE=${mark}`)).map(({ command }) => command)
  return {
    project,
    mark,
    temporary,
    alive,
    processes: async (wanted) =>
      (await findProcesses(`DURABLE=${mark}`)).filter(({ command }) => wanted.test(command)).map(({ pid }) => pid),
    start: (args = [], env = {}) =>
      project.start(['run', '--project', 'evals', ...args], { env: { DURABLE: mark, TMPDIR: temporary, ...env } }),
    command: (args) => project.startAgentEvals(args, { env: { DURABLE: mark, TMPDIR: temporary } }),
    async shell(script, args = [], env = {}) {
      const command = [major.node, major.vitestBin, 'run', '--project', 'evals', ...args]
      const child = spawn('/bin/sh', ['-c', script, 'sh', ...command], {
        cwd: project.root,
        env: { PATH: process.env['PATH'], HOME: project.home, DURABLE: mark, TMPDIR: temporary, ...env },
      })
      const [[exitCode], stdout, stderr] = await Promise.all([
        once(child, 'close') as Promise<[number | null]>,
        text(child.stdout),
        text(child.stderr),
      ])
      return { exitCode, stdout, stderr }
    },
    leftovers: async () => (await readdir(temporary)).filter((name) => /^(?:agent-evals-|aev-)/.test(name)),
    async working(run, count) {
      let hasEnded = false
      void run.finished.finally(() => (hasEnded = true))
      const sleepers = async (): Promise<number> =>
        (await alive()).filter((command) => command === `sleep ${SLEEP}`).length
      while ((await sleepers()) < count) {
        if (hasEnded) throw new Error(`The run ended before ${count} agents worked:\n${run.output()}`)
        await wait(POLL_MS)
      }
    },
    async ended() {
      const folder = join(project.root, '.vitest/agent-evals')
      const names = (await readdir(folder, { recursive: true })).filter((name) => /journal\.[^/]+\.jsonl$/.test(name))
      const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
      return texts.join('').split('"kind":"run-end"').length - 1
    },
    async reports(packageRoot = '.') {
      const folder = join(project.root, packageRoot, 'evals/reports')
      const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json'))
      const read = async (name: string): Promise<Report> =>
        JSON.parse(await readFile(join(folder, name), 'utf8')) as Report
      return (await Promise.all(names.map(read))).toSorted((a, b) => Date.parse(a.timestamp) - Date.parse(b.timestamp))
    },
    async mount(folder, settings) {
      const path = join(project.root, folder)
      await mkdir(path, { recursive: true })
      execFileSync('mount', ['-t', 'tmpfs', '-o', settings, 'tmpfs', path])
      mounted.push(path)
      return path
    },
    async [Symbol.asyncDispose]() {
      for (const path of mounted) execFileSync('umount', ['-l', path])
      await project[Symbol.asyncDispose]()
      await rm(temporary, { recursive: true, force: true })
    },
  }
}

/** Whether file systems can be mounted here. */
export function canMount(): boolean {
  return process.platform === 'linux' && process.getuid?.() === 0
}

/** What a report says of its cases, one line each. */
export function outcomes({ cases }: Report): readonly string[] {
  return cases.map(({ name, verdict, error_code, skip_reason }) =>
    [name, verdict, error_code ?? skip_reason ?? ''].join(' ').trim(),
  )
}

function packageFiles(
  cases: Readonly<Record<string, Script>>,
  mark: string,
  { pool = 'threads', plugin, test, engine = 'claude-code' }: DurableOptions,
): FileTree {
  const isShell = engine === 'shell'
  const own = isShell ? { engines: SHELL_ENGINE, judge: 'claude-sonnet' } : {}
  const options = JSON.stringify({ sandbox: 'prefer', ...own, ...plugin, test: { pool } })
  return {
    'vitest.config.ts': [
      "import { agentEvals } from 'vitest-agent-evals'",
      "import { defineConfig } from 'vitest/config'",
      `export default defineConfig({ plugins: [agentEvals(${options})], test: { ${test ?? ''} } })`,
    ].join('\n'),
    'package.agent.json': '{ "name": "durable", "version": "1.0.0" }',
    'evals/eval-config.json': JSON.stringify({ version: 1, engine, env: { DURABLE: mark } }),
    ...(isShell ? shellCases({}) : {}),
    ...Object.fromEntries(
      Object.entries(cases).flatMap(([name, script], index, all) => [
        [`evals/cases/${name}.yaml`, caseFile(name, all.length - index, isShell ? shellScript(script) : 'Say hello.')],
        [`evals/scenarios/${name}.yaml`, scenario(script)],
      ]),
    ),
  }
}

// Vitest runs the largest file first: they run in the order in which they are written down.
function caseFile(name: string, length: number, prompt: string): string {
  return `name: ${name}\ndescription: ${'Long. '.repeat(20 * length)}\ninput:\n  prompt: ${JSON.stringify(prompt)}\nexpected:\n  contains:\n    - Hello\njudge:\n  criteria: It greets.\n`
}

/** What the shell is told in the place of a model. */
function shellScript(script: Script): string {
  if (script === 'fails') return 'echo Good bye'
  if (script === 'quick') return QUICK
  if (script === 'slow') return SLOW
  return `${script.does ?? 'true'}; echo '${script.says}'`
}

function scenario(script: Script): string {
  const judge = 'judge:\n  - - verdict: pass\n      reason: It greets.\n      quote: Hello\n'
  if (script === 'fails') return `turns:\n  - text: Good bye\n`
  if (typeof script === 'object') {
    const does = script.does === undefined ? '' : bash(script.does)
    return `turns:\n${does}  - text: ${JSON.stringify(script.says)}\n${judge}`
  }
  if (script === 'quick') return `turns:\n  - text: Hello\n${judge}`
  return `turns:\n${bash(SLOW)}  - text: Hello\n${judge}`
}

function bash(command: string): string {
  return `  - tools:\n      - name: Bash\n        input: { command: ${JSON.stringify(command)}, timeout: 600000 }\n`
}

interface FoundProcess {
  readonly pid: number
  readonly command: string
}

async function findProcesses(tag: string): Promise<readonly FoundProcess[]> {
  const found: FoundProcess[] = []
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue
    const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')
    if (!`\0${environment}`.includes(`\0${tag}\0`)) continue
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    if (command !== '') found.push({ pid: Number(pid), command: command.replaceAll('\0', ' ').trim() })
  }
  return found
}

/** To look at all processes takes computing time from those that are waited for. */
const POLL_MS = 200
// Longer than any test.
const SLEEP = 4321
const SLOW = `sleep ${SLEEP} & trap "" TERM; sleep ${SLEEP + 1}`
/** The script of a quick case, by which a test ends a slow one. */
const QUICK = 'echo Hello'
