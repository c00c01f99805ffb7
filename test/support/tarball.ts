import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ensureBuilt } from './build.ts'
import { outputOf } from './command.ts'
import { withLock } from './lock.ts'
import { CACHE } from './repository.ts'

/** Absolute path of the package as it would be published, packed once from the present build. */
export async function packedTarball(): Promise<string> {
  const folder = join(CACHE, 'tarballs', await ensureBuilt())
  return withLock(folder, async () => (await tarballIn(folder)) ?? pack(folder))
}

async function pack(folder: string): Promise<string> {
  const packing = `${folder}.new`
  await rm(packing, { recursive: true, force: true })
  await mkdir(packing, { recursive: true })
  await outputOf('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', packing])
  await rename(packing, folder)
  return (await tarballIn(folder)) ?? folder
}

async function tarballIn(folder: string): Promise<string | null> {
  const [name] = await readdir(folder).catch(() => [])
  return name === undefined ? null : join(folder, name)
}
