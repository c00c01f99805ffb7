import { execFile } from 'node:child_process'
import { access, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { withLock } from './lock.ts'
import { CACHE, REPOSITORY } from './repository.ts'

/** An installed Vitest, and the Node that runs it. */
export interface VitestMajor {
  /** As in test names: `vitest 5.1`. */
  readonly label: string
  readonly major: 4 | 5
  /** Absolute path of the Node executable. */
  readonly node: string
  /** Absolute path of Vitest's command. */
  readonly vitestBin: string
  /** Absolute path of the `node_modules` that holds it. */
  readonly modules: string
}

/** Every supported Vitest major. The first is the repository's own; the other is installed once, outside `node_modules`. */
export async function vitestMajors(): Promise<VitestMajor[]> {
  return [repositoryVitest(), await vitest5()]
}

/** The repository's own Vitest: for tests of what does not depend on the major. */
export function repositoryVitest(): VitestMajor {
  return vitest4(join(REPOSITORY, 'node_modules'), 'vitest 4.1')
}

/** Vitest 4.1 on the older Vite majors that it supports. */
export async function viteVariants(): Promise<VitestMajor[]> {
  const vite6 = await install('vitest-4.1-vite-6', { vitest: '4.1.12', vite: '6.4.6' })
  const vite7 = await install('vitest-4.1-vite-7', { vitest: '4.1.12', vite: '7.3.8' })
  return [vitest4(vite6, 'vitest 4.1 on vite 6'), vitest4(vite7, 'vitest 4.1 on vite 7')]
}

function vitest4(modules: string, label: string): VitestMajor {
  return { label, major: 4, node: process.execPath, vitestBin: join(modules, 'vitest/vitest.mjs'), modules }
}

async function vitest5(): Promise<VitestMajor> {
  const dependencies: Record<string, string> = { vitest: '5.1.1', vite: '8.3.8' }
  if (!runsVitest5(process.versions.node)) dependencies[NODE_PACKAGE] = '24.21.0'
  const modules = await install(`vitest-5.1-node-${process.versions.node}`, dependencies)
  const node = NODE_PACKAGE in dependencies ? join(modules, NODE_PACKAGE, 'bin/node') : process.execPath
  return { label: 'vitest 5.1', major: 5, node, vitestBin: join(modules, 'vitest/vitest.mjs'), modules }
}

function runsVitest5(node: string): boolean {
  const [major = 0, minor = 0] = node.split('.').map(Number)
  return major === 22 ? minor >= 12 : major === 24 || major >= 26
}

/** Installs into a folder of the cache, once for all processes, and returns its `node_modules`. */
export async function install(name: string, dependencies: Record<string, string>): Promise<string> {
  const folder = join(CACHE, name)
  const manifest = `${JSON.stringify({ private: true, dependencies }, null, 2)}\n`
  const isDone = async (): Promise<boolean> =>
    (await readFile(join(folder, 'package.json'), 'utf8').catch(() => '')) === manifest
  if (await isDone()) return join(folder, 'node_modules')
  return withLock(folder, async () => {
    if (await isDone()) return join(folder, 'node_modules')
    const building = `${folder}.new`
    await rm(building, { recursive: true, force: true })
    await mkdir(building, { recursive: true })
    await writeFile(join(building, 'package.json'), manifest)
    await npmInstall(building, Object.keys(dependencies))
    await rm(folder, { recursive: true, force: true })
    await rename(building, folder)
    return join(folder, 'node_modules')
  })
}

async function npmInstall(folder: string, expected: readonly string[]): Promise<void> {
  const args = ['install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock']
  const output = await new Promise<string>((resolve) => {
    execFile('npm', args, { cwd: folder, env: withoutNpmVariables() }, (error, stdout, stderr) =>
      resolve(error === null ? '' : `${stdout}${stderr}`.trim() || error.message),
    )
  })
  const missing = output === '' ? await absent(folder, expected) : expected
  if (missing.length === 0) return
  throw new Error(
    `Cannot install ${missing.join(', ')} for the tests. They need the npm registry once; afterwards ${CACHE} serves them.\n${output}`,
  )
}

async function absent(folder: string, packages: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    packages.map((name) =>
      access(join(folder, 'node_modules', name, 'package.json')).then(
        () => true,
        () => false,
      ),
    ),
  )
  return packages.filter((_, index) => found[index] === false)
}

/** `npm test` exports its own settings, which would steer a nested npm. */
function withoutNpmVariables(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^npm_(lifecycle|package|command)/.test(name)),
  )
}

const NODE_PACKAGE = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
