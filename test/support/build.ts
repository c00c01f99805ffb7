import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { withLock } from './lock.ts'
import { CACHE, REPOSITORY } from './repository.ts'

/** Global setup of the projects that test the built package. */
export default async function setup(): Promise<void> {
  await ensureBuilt()
}

/** Builds `dist` unless it is the build of the present sources already, and returns the hash of these sources. */
export function ensureBuilt(): Promise<string> {
  return withLock(join(CACHE, 'build'), async () => {
    const stamp = await hashOfSources()
    if ((await readFile(STAMP_FILE, 'utf8').catch(() => '')) === (await mark(stamp))) return stamp
    await compile()
    await mkdir(CACHE, { recursive: true })
    await writeFile(STAMP_FILE, await mark(stamp))
    return stamp
  })
}

async function hashOfSources(): Promise<string> {
  const hash = createHash('sha256')
  const src = join(REPOSITORY, 'src')
  const sources = (await readdir(src, { recursive: true }))
    .filter((name) => /\.(tsx?|css|html|json)$/.test(name))
    .toSorted()
  const files = [...sources.map((name) => join('src', name)), 'tsconfig.json', 'package.json', 'scripts/build.mjs']
  for (const file of files)
    hash
      .update(`${file}\0`)
      .update(await readFile(join(REPOSITORY, file)))
      .update('\0')
  return hash.digest('hex').slice(0, 16)
}

/** The stamp with the time of the last build, so that a build by hand is noticed. */
async function mark(stamp: string): Promise<string> {
  const built = await stat(join(REPOSITORY, 'dist/index.js')).catch(() => null)
  return `${stamp} ${built === null ? 'none' : built.mtimeMs}`
}

/** Type errors are the typecheck's to report: what was built runs all the same. */
async function compile(): Promise<void> {
  const output = await new Promise<string>((resolve) => {
    const build = join(REPOSITORY, 'scripts/build.mjs')
    execFile(process.execPath, [build], { cwd: REPOSITORY }, (error, stdout, stderr) =>
      resolve(error === null ? '' : `${stdout}${stderr}`),
    )
  })
  const mistakes = output.split('\n').filter((line) => line.includes(': error TS')).length
  if (mistakes > 0) console.warn(`tsc -p src found ${mistakes} mistakes (npm run typecheck); testing what was built.`)
  if (mistakes === 0 && output !== '') throw new Error(`The package could not be built.\n${output}`)
}

const STAMP_FILE = join(CACHE, 'build.stamp')
