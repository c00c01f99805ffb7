import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createFixture } from 'fs-fixture'
import { CONFIG } from '../eval-project.ts'
import { repositoryVitest } from '../majors.ts'
import { startMessagesServer, type ReceivedRequest } from '../messages-server.ts'
import { createProject, type TestProject } from '../project.ts'
import { startProcess } from '../running-process.ts'
import { skill, writeLayout, type Layout, type Session } from './layout.ts'

/** Layouts on disk, each a repository of its own; those that share a project are one. */
export interface Laid extends AsyncDisposable {
  readonly project: TestProject
  readonly folders: readonly LaidFolder[]
}

/** A folder in which a session is started. */
interface LaidFolder {
  readonly name: string
  readonly root: string
  readonly layouts: readonly Layout[]
}

/** An empty project, which shows what the CLI has anyway. */
export const NOTHING: Layout = { name: 'nothing', as: 'project', files: { '.claude/settings.json': '{}' }, loads: [] }

const SHARED = 'shared'

/** Writes the layouts below one project, which runs a case in each. */
export async function layOut(layouts: readonly Layout[]): Promise<Laid> {
  const outside = await createFixture({ 'link-out/SKILL.md': skill('link-out') })
  const git = await createFixture()
  await promisify(execFile)('git', ['init', '--quiet', git.path])
  const project = await createProject(repositoryVitest(), { 'vitest.config.ts': CONFIG })
  const folderOf = (layout: Layout): string => (layout.as === 'shared' ? SHARED : layout.name)
  const names = [...new Set(layouts.map(folderOf))]
  for (const layout of layouts) await writeLayout(join(project.root, folderOf(layout)), layout.files, outside.path)
  const folders = names.map((name) => ({
    name,
    root: join(project.root, name),
    layouts: layouts.filter((layout) => folderOf(layout) === name),
  }))
  for (const {
    root,
    name,
    layouts: [first],
  } of folders) {
    await cp(git.getPath('.git'), join(root, '.git'), { recursive: true })
    const cases = join(root, first?.stands ?? '', 'evals/cases')
    await mkdir(cases, { recursive: true })
    await writeFile(join(cases, `${name}.yaml`), caseFile(name))
  }
  return {
    project,
    folders,
    async [Symbol.asyncDispose]() {
      await project[Symbol.asyncDispose]()
      await Promise.all([outside.rm(), git.rm()])
    },
  }
}

function caseFile(name: string): string {
  return JSON.stringify({ name, input: { prompt: promptOf(name) }, judge: { criteria: 'It ends.' } })
}

function promptOf(name: string): string {
  return `This is layout ${name}.`
}

/** Starts the CLI in each layout as a user would, all plugins at once, and ends it at its first request. */
export async function startInEach(
  executable: string,
  { project, folders }: Laid,
): Promise<ReadonlyMap<string, Session>> {
  const sessions = new Map<string, Session>()
  const plugins = folders.filter(({ layouts }) => layouts[0]?.as === 'plugin')
  for (const { name, root, layouts } of folders) {
    if (layouts[0]?.as === 'plugin') continue
    const { stands = '', installs } = layouts[0] ?? NOTHING
    const market = installs === undefined ? {} : { market: root, installs, cwd: project.root }
    sessions.set(name, await startCli(executable, { name, cwd: join(root, stands), project, ...market }))
  }
  if (plugins.length > 0) {
    const cwd = join(project.root, NOTHING.name)
    const args = plugins.flatMap(({ root }) => ['--plugin-dir', root])
    const session = await startCli(executable, { name: 'plugins', cwd, project, args })
    for (const { name } of plugins) sessions.set(name, session)
  }
  return sessions
}

interface Start {
  readonly name: string
  readonly cwd: string
  readonly project: TestProject
  readonly args?: readonly string[]
  /** The folder of a marketplace, and the plugin that is installed from it before. */
  readonly market?: string
  readonly installs?: string
}

async function startCli(
  executable: string,
  { name, cwd, project, args = [], market = '', installs }: Start,
): Promise<Session> {
  const config = await createFixture()
  const env = {
    PATH: process.env['PATH'],
    HOME: config.path,
    CLAUDE_CONFIG_DIR: config.path,
    ANTHROPIC_API_KEY: 'key',
    ...OWN_PARTS_OFF,
  }
  const install = (...words: readonly string[]): Promise<object> =>
    startProcess(executable, ['plugin', ...words], { cwd, env }).finished
  if (installs !== undefined) {
    await install('marketplace', 'add', market)
    await install('install', `${installs}@${installs}s`)
  }
  const ended = new AbortController()
  await using server = await startMessagesServer((request) => {
    if (!request.isSide) ended.abort()
    return REFUSAL
  })
  const child = startProcess(
    executable,
    ['-p', '--output-format=stream-json', '--verbose', ...args, '--', promptOf(name)],
    {
      cwd,
      signal: ended.signal,
      env: { ...env, ANTHROPIC_BASE_URL: server.url },
    },
  )
  const { raw } = await child.finished
  await config.rm()
  return sessionOf(name, raw, server.requests, project)
}

/** What no user has switched off, but what is the CLI's own and costs time. */
const OWN_PARTS_OFF = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  CLAUDE_CODE_DISABLE_BUNDLED_SKILLS: '1',
  CLAUDE_CODE_DISABLE_WORKFLOWS: '1',
  DISABLE_AUTOUPDATER: '1',
  CLAUDE_CODE_MAX_RETRIES: '0',
}

const REFUSAL = { error: { status: 400, message: 'enough' } }

function sessionOf(name: string, output: string, requests: readonly ReceivedRequest[], project: TestProject): Session {
  const line = output.split('\n').find((one) => one.includes('"subtype":"init"'))
  if (line === undefined) throw new Error(`The session in ${name} did not begin.\n${output}`)
  const text = requests.map(({ body }) => JSON.stringify(body)).find((one) => one.includes(promptOf(name)))
  const init = JSON.parse(line.slice(line.indexOf('{'))) as Session['init']
  return { init, request: (text ?? '').replaceAll(project.root, '') }
}

/** Runs the case of each layout with the same CLI, and reads what its session began with. */
export async function runInEach(executable: string, { project, folders }: Laid): Promise<ReadonlyMap<string, Session>> {
  await using server = await startMessagesServer(() => REFUSAL)
  await using engines = await createFixture({ 'node_modules/.bin': {}, streams: {} })
  // Under another name, the program is not looked for behind the script.
  await symlink(executable, engines.getPath('program'))
  await writeFile(engines.getPath('node_modules/.bin/claude'), wrapper(engines.path), { mode: 0o755 })
  const finished = await project.run(['run', '--project', 'evals'], {
    merged: true,
    env: {
      AGENT_EVALS_SOURCE: 'live',
      AGENT_EVALS_SANDBOX: 'none',
      AGENT_EVALS_ENGINES: engines.path,
      AGENT_EVALS_MODEL: 'claude-sonnet-4-5',
      ANTHROPIC_BASE_URL: server.url,
      ANTHROPIC_API_KEY: 'key',
    },
  })
  const streams = await readdir(engines.getPath('streams'))
  const outputs = await Promise.all(streams.map((file) => readFile(engines.getPath(`streams/${file}`), 'utf8')))
  if (streams.length === 0) throw new Error(finished.all)
  // A package that is refused has no session.
  return new Map(
    folders.flatMap(({ name }) => {
      const output = outputs.find((text) => text.startsWith(promptOf(name)))
      return output === undefined ? [] : [[name, sessionOf(name, output, server.requests, project)] as const]
    }),
  )
}

/** A script that keeps what the CLI was told and what it said. */
function wrapper(folder: string): string {
  return `#!/bin/sh
here='${folder.replace(/\/$/, '')}'
[ "$1" = -p ] || exec "$here/program" "$@"
kept="$here/streams/$$"
cat > "$kept"
cp "$kept" "$kept.in"
echo >> "$kept"
"$here/program" "$@" < "$kept.in" | tee -a "$kept"
`
}
