import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { TestModule, TestSpecification, Vitest } from 'vitest/node'
import { homeFolder } from '../../lib/files.ts'
import { sha256 } from '../../lib/sha256.ts'
import { NO_POSTCSS_SEARCH } from '../provided.ts'

/** A test in TypeScript as its file has it, without running it. */
export interface WrittenTest {
  /** Absolute path. */
  readonly file: string
  /** With the names of its describe blocks, as Vitest joins them. */
  readonly name: string
  /** Its own name. */
  readonly title: string
  readonly line: number
  /** Its own, and those of its describe blocks and its file. */
  readonly tags: readonly string[]
  /** Whether its name is computed, so that it may stand for several tests. */
  readonly isComputed: boolean
}

/** Reads the tests of files without running them, and without any configuration: such as the evals of a folder. */
export async function readTests(root: string, files: readonly string[]): Promise<readonly WrittenTest[]> {
  if (files.length === 0) return []
  // Vitest is slow to load, and most projects have no such file. What it says is for a run.
  const { createVitest } = await import('vitest/node')
  const output = holdOutput()
  try {
    const options = { config: false as const, watch: false, root, include: [], reporters: [{}], strictTags: false }
    const vitest = await createVitest('test', options, { ...cacheOf(root), ...NO_POSTCSS_SEARCH, logLevel: 'silent' })
    try {
      return await parseTests(vitest, files)
    } finally {
      await vitest.close()
    }
  } finally {
    output.drop()
  }
}

/** Vitest would create a node_modules, in a repository that has no use for one. */
export function cacheOf(root: string): { readonly cacheDir?: string } {
  const folder = cacheFolder()
  const isItsOwn = folder === null || existsSync(join(root, 'node_modules'))
  return isItsOwn ? {} : { cacheDir: join(folder, 'vitest-agent-evals/vite', sha256(root, 16)) }
}

// Lies in the user's home, is shared by every repository, and may be removed at any time.
function cacheFolder(): string | null {
  const home = homeFolder()
  return process.env['XDG_CACHE_HOME'] || (home === null ? null : join(home, '.cache'))
}

// A file that cannot be read has none.
async function parseTests(vitest: Vitest, files: readonly string[]): Promise<readonly WrittenTest[]> {
  const project = vitest.getRootProject()
  const parser = vitest as Parser
  const specifications = files.map((file) => project.createSpecification(file))
  const modules =
    parser.parseSpecifications === undefined
      ? await vitest.experimental_parseSpecifications(specifications)
      : await parser.parseSpecifications(specifications)
  return modules.flatMap((module) =>
    [...module.children.allTests()].map(({ name, fullName, location, options, tags }) => ({
      file: module.moduleId,
      name: fullName,
      title: name,
      line: location?.line ?? 1,
      tags,
      isComputed: options.each === true || fullName.includes('${'),
    })),
  )
}

/** Vitest 5 has it under a name of its own. */
type Parser = Vitest & {
  parseSpecifications?(specifications: TestSpecification[]): Promise<TestModule[]>
}

/** Output that is kept until it is known whether it is worth reading. */
interface HeldOutput {
  /** Writes what was kept, to the same stream or to standard error alone, and keeps nothing more. */
  readonly release: (to?: 'stderr') => void
  /** Forgets what was kept, and keeps nothing more. */
  readonly drop: () => void
}

/** Keeps what is written to standard output and standard error from now on. */
export function holdOutput(): HeldOutput {
  const kept: { readonly from: NodeJS.WriteStream; readonly chunk: string | Uint8Array }[] = []
  const restore = [process.stdout, process.stderr].map((stream) => {
    const write = stream.write.bind(stream)
    stream.write = (chunk: string | Uint8Array, ...rest: readonly unknown[]) => {
      kept.push({ from: stream, chunk })
      const done = rest.find((one) => typeof one === 'function')
      if (done !== undefined) process.nextTick(done)
      return true
    }
    return (): void => {
      stream.write = write
    }
  })
  const stop = (): void => {
    for (const one of restore.splice(0)) one()
  }
  return {
    drop: stop,
    release(to) {
      stop()
      for (const { from, chunk } of kept.splice(0)) (to === 'stderr' ? process.stderr : from).write(chunk)
    },
  }
}
