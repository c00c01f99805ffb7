import { cp, mkdir, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ensureBuilt } from './build.ts'
import { withLock } from './lock.ts'
import type { VitestMajor } from './majors.ts'
import { CACHE, REPOSITORY } from './repository.ts'

const KEEP_MS = 6 * 60 * 60 * 1000

/**
 * A `node_modules` as a consumer of the present build has it, shared by all test projects of that major.
 *
 * The package is a copy, not a link to the repository: Node and Vitest resolve `vitest` from a file's real path, and
 * the repository's own Vitest is of one major only.
 */
export async function installedModules(major: VitestMajor): Promise<string> {
  const stamp = await ensureBuilt()
  const folder = join(CACHE, 'consumers', `${major.label.replaceAll(' ', '-')}-${stamp}`)
  const modules = join(folder, 'node_modules')
  if (await exists(modules)) return modules
  return withLock(folder, async () => {
    if (await exists(modules)) return modules
    const building = `${folder}.new`
    await rm(building, { recursive: true, force: true })
    await fill(join(building, 'node_modules'), major)
    await rename(building, folder)
    await removeOld(dirname(folder))
    return modules
  })
}

async function fill(modules: string, major: VitestMajor): Promise<void> {
  const copy = join(modules, 'vitest-agent-evals')
  await mkdir(copy, { recursive: true })
  for (const part of ['package.json', 'dist', 'schemas', 'skills']) {
    await cp(join(REPOSITORY, part), join(copy, part), { recursive: true })
  }
  for (const name of ['vitest', 'vite']) await link(join(major.modules, name), join(modules, name))
  for (const name of [...(await runtimeDependencies()), ...(await claudePackages())]) {
    await link(join(REPOSITORY, 'node_modules', name), join(modules, name))
  }
}

export async function runtimeDependencies(): Promise<string[]> {
  const manifest = JSON.parse(await readFile(join(REPOSITORY, 'package.json'), 'utf8')) as {
    dependencies?: Record<string, string>
  }
  return Object.keys(manifest.dependencies ?? {})
}

/** The CLI and the package of this platform's program. */
async function claudePackages(): Promise<string[]> {
  const names = await readdir(join(REPOSITORY, 'node_modules/@anthropic-ai'))
  return names.filter((name) => name.startsWith('claude-code')).map((name) => `@anthropic-ai/${name}`)
}

/** Links with the folders above, so that scoped names work. */
export async function link(target: string, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await symlink(target, path)
}

async function removeOld(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    const age = await stat(path).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    )
    if (age > KEEP_MS) await rm(path, { recursive: true, force: true })
  }
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
