import type { Shard } from '../../options/settings.ts'
import { pathFrom } from '../../packages/package-root.ts'
import type { PlannedCut } from '../../report/results/run-folder.ts'
import { cutFiles, describeCut, type ShardUnit } from './cut-shards.ts'
import { expectTimes, type ExpectedTimes, type TimeSettings } from './expected-times.ts'
import type { CutBy, Plan } from './plan.ts'

/** Cuts the runs of one process into shards. Where the option `shard` is not set, everything stays whole. */
export interface Cutter {
  /** The files of tests in TypeScript that are in this shard, of those that take part on any machine. Absolute paths. */
  files(all: readonly string[]): readonly string[]
  /** By what {@link planCases} cuts, with the files of before. */
  by(): CutBy
  /** How a plan was cut, for its folder and in a sentence; `null` where it was not. */
  describe(plan: Pick<Plan, 'cut'>): { readonly planned: PlannedCut; readonly sentence: string } | null
}

/** Creates the cutter. The times are read when they are first needed, with the errors of {@link expectTimes}. */
export function createCutter(settings: TimeSettings & { readonly shard: Shard | null }): Cutter {
  const { root, shard } = settings
  if (shard === null) return { files: (all) => all, by: () => ({}), describe: () => null }
  let expectedTimes: ExpectedTimes | undefined
  let units: readonly ShardUnit[] = []
  const times = (): ExpectedTimes => (expectedTimes ??= expectTimes(settings))
  return {
    files(all) {
      units = all.map((file) => ({ key: pathFrom(root, file), seconds: times().ofFile(file) }))
      const shardOf = cutFiles(units, shard.count)
      return all.filter((file) => shardOf.get(pathFrom(root, file)) === shard.index)
    },
    by: () => ({ times: times(), files: units }),
    describe({ cut }) {
      if (cut === null) return null
      const { origin } = times()
      return { planned: { hash: cut.hash, times: origin }, sentence: describeCut(cut, shard, origin) }
    },
  }
}
