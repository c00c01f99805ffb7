import { sha256, sha256OfJson } from '../../lib/sha256.ts'
import { compareTexts, plural } from '../../lib/text.ts'
import type { Shard } from '../../options/settings.ts'
import { pathFrom } from '../../packages/package-root.ts'

/**
 * The keys of a shard: all keys, sorted by their hash, are dealt in turn. Machines that know the same keys deal alike, and
 * each key is in exactly one shard.
 */
export function dealKeys(keys: Iterable<string>, { index, count }: Shard): ReadonlySet<string> {
  const sorted = Array.from(new Set(keys), (key) => ({ key, hash: sha256(key) })).toSorted((a, b) =>
    compareTexts(a.hash, b.hash),
  )
  return new Set(sorted.filter((_, at) => at % count === index - 1).map(({ key }) => key))
}

/** Deals the files of tests in TypeScript of one process. Where the option `shard` is not set, none is left out. */
export interface FileDealer {
  /** Deals the files that take part on any machine: returns those of this shard. Absolute paths. */
  deal(all: readonly string[]): readonly string[]
  /** True if another shard runs a file of these. */
  leaves(file: string): boolean
  /** SHA-256 of all of them: the same for every shard of a run. */
  hash(): string
  /** One sentence on what this shard runs; `null` where the run is whole. */
  describe(plan: { readonly units: DealtCount | null }): string | null
}

/** How many of all there are in a shard. */
export interface DealtCount {
  readonly mine: number
  readonly all: number
}

export function createFileDealer({ root, shard }: { readonly root: string; readonly shard: Shard | null }): FileDealer {
  let paths: readonly string[] = []
  let mine: ReadonlySet<string> = new Set()
  const toPath = (file: string): string => pathFrom(root, file)
  return {
    deal(all) {
      if (shard === null) return all
      paths = all.map(toPath)
      mine = dealKeys(paths, shard)
      return all.filter((file) => mine.has(toPath(file)))
    },
    leaves: (file) => paths.includes(toPath(file)) && !mine.has(toPath(file)),
    hash: () => sha256OfJson(paths.toSorted(compareTexts)),
    describe({ units }) {
      if (shard === null || units === null) return null
      const cases = `${units.mine} of ${plural(units.all, 'case')}`
      const files = paths.length === 0 ? '' : ` and ${mine.size} of ${plural(paths.length, 'test file')}`
      return `shard ${shard.index}/${shard.count}: ${cases}${files}`
    },
  }
}
