import { execFile, execFileSync, spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

export const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url))
// A peer of 2 GB is not worth waiting for where the network is slow.
const MOST_TIME = 180_000
const CACHE = join(REPOSITORY, '.cache')

/** Installs packages once below .cache, outside the root node_modules, and returns their node_modules. */
export async function install(name, dependencies) {
  const folder = join(CACHE, `bench-${name}`)
  const manifest = JSON.stringify({ private: true, dependencies }, null, 2)
  const file = join(folder, 'package.json')
  if (existsSync(join(folder, 'node_modules')) && readFileSync(file, 'utf8') === manifest)
    return join(folder, 'node_modules')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(file, manifest)
  const args = ['install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock']
  await new Promise((resolve, reject) =>
    execFile('npm', args, { cwd: folder, timeout: MOST_TIME }, (error, _out, stderr) =>
      error === null ? resolve() : reject(new Error(stderr)),
    ),
  )
  return join(folder, 'node_modules')
}

/** Compiles the sources module by module: the URL of the folder that holds them. */
export function compileSources() {
  const folder = join(CACHE, 'bench-sources')
  execFileSync(join(REPOSITORY, 'node_modules/.bin/tsc'), ['-p', 'src', '--outDir', folder], { cwd: REPOSITORY })
  return pathToFileURL(`${folder}/`)
}

/** A supported Vitest: its node_modules, and the Node that runs it. */
export async function vitestOf(major) {
  if (major === 4)
    return { major, label: 'Vitest 4.1', modules: join(REPOSITORY, 'node_modules'), node: process.execPath }
  const [ours = 0] = process.versions.node.split('.').map(Number)
  const platform = `node-${process.platform}-${process.arch}`
  const modules = await install('vitest-5', {
    vitest: '5.1.1',
    vite: '8.3.8',
    ...(ours < 22 ? { [platform]: '24.21.0' } : {}),
  })
  return {
    major,
    label: 'Vitest 5.1',
    modules,
    node: ours < 22 ? join(modules, platform, 'bin/node') : process.execPath,
  }
}

/** A project in a temporary folder, with the built package as a consumer has it. */
export function createProject(files, vitest, more = {}) {
  const root = mkdtempSync(join(tmpdir(), 'agent-evals-bench-'))
  const all = { 'package.json': '{"private": true, "type": "module"}', ...files }
  for (const [path, text] of Object.entries(all)) write(join(root, path), text)
  const modules = join(root, 'node_modules')
  const copy = join(modules, 'vitest-agent-evals')
  for (const part of ['package.json', 'dist', 'schemas'])
    cpSync(join(REPOSITORY, part), join(copy, part), { recursive: true })
  const { dependencies } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8'))
  const claude = readdirSync(join(REPOSITORY, 'node_modules/@anthropic-ai')).filter((name) =>
    name.startsWith('claude-code'),
  )
  const names = [...Object.keys(dependencies), ...claude.map((name) => `@anthropic-ai/${name}`)]
  for (const name of names) link(join(REPOSITORY, 'node_modules', name), join(modules, name))
  for (const name of ['vitest', 'vite']) link(join(vitest.modules, name), join(modules, name))
  link(join(REPOSITORY, 'node_modules/.bin/claude'), join(modules, '.bin/claude'))
  for (const [name, target] of Object.entries(more)) link(target, join(modules, name))
  return { root, vitest, dispose: () => rmSync(root, { recursive: true, force: true, maxRetries: 3 }) }
}

/** Writes a file and the folders around it. */
export function write(file, text) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** Makes a link and the folders around it. */
export function link(target, path) {
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(target, path)
}

export const CONFIG = (options = "{ sandbox: 'prefer' }") =>
  `import { agentEvals } from 'vitest-agent-evals'\nexport default { plugins: [agentEvals(${options})] }\n`

/** Starts a project's Vitest. */
export function startVitest({ root, vitest }, args, env = {}) {
  return start(vitest.node, [join(vitest.modules, 'vitest/vitest.mjs'), ...args], root, env)
}

/** What a bench measures has to happen, however often it is repeated. */
export const NO_CACHE = { AGENT_EVALS_CACHE: '0' }

/** Starts a program that inherits no credentials and no CI, and takes no result over. */
export function start(program, args, cwd, env = {}) {
  const { PATH, TMPDIR, LANG } = process.env
  const startedAt = performance.now()
  const child = spawn(program, args, {
    cwd,
    env: { PATH, TMPDIR, LANG, HOME: join(cwd, 'home'), NO_COLOR: '1', ...NO_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  const ended = new Promise((resolve) =>
    child.once('close', (code) => resolve({ code, output, ms: performance.now() - startedAt })),
  )
  return { child, ended, output: () => output, stop: () => process.kill(-child.pid, 'SIGINT') }
}

/** The fastest of several runs: what else the machine does only ever adds. */
export async function fastest(times, run) {
  let best = Number.POSITIVE_INFINITY
  for (let i = 0; i < times; i += 1) best = Math.min(best, await run())
  return best
}

/** Milliseconds of a run that must end with one of these codes. */
export async function timeOf(running, codes = [0]) {
  const { code, output, ms } = await running.ended
  if (!codes.includes(code)) throw new Error(`It exited with ${code}.\n${output.slice(-3000)}`)
  return ms
}

/** Measures one peer after the other. One that does not install or run here is left out, and that is said. */
export async function measurePeers(peers) {
  const measured = []
  for (const [name, measure] of peers) {
    try {
      measured.push({ name, value: await measure() })
    } catch (error) {
      const [first] = String(error.message).trim().split('\n')
      console.error(`${name} is left out: ${first}`)
    }
  }
  return measured
}

/** A figure followed by those of its peers, as the same measurement and as a ratio. */
export function besidePeers(figure, peers) {
  const { what, value, unit } = figure
  return [
    figure,
    ...peers.flatMap((peer) => [
      { what: `${what}: ${peer.name}`, value: peer.value, unit, reach: null },
      { what: `${what}: ours against ${peer.name}`, value: value / peer.value, unit: 'x', reach: null },
    ]),
  ]
}
