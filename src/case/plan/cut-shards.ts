import { sha256OfJson } from '../../lib/sha256.ts'
import { compareTexts, plural } from '../../lib/text.ts'
import { sum } from '../../lib/lists.ts'
import type { Shard } from '../../options/settings.ts'
import { formatSeconds } from '../../report/summary/table.ts'

/** What stays together on one machine. */
export interface ShardUnit {
  /** The same on every machine, and no other unit's. */
  readonly key: string
  /** Expected seconds; `null`: unknown. */
  readonly seconds: number | null
}

/** What is cut into shards, and by what times. */
export interface ShardUnits {
  /** Cases with all their arms and engines. */
  readonly cases: readonly ShardUnit[]
  /** Files of tests in TypeScript: what they hold is only known once they have run, so they are cut before the cases. */
  readonly files: readonly ShardUnit[]
}

/** How a run was cut. */
export interface ShardCut {
  /** SHA-256 of all units with their times: machines that know other times have another one. */
  readonly hash: string
  /** Number of cases, arms and engines not counted: in this shard, and in all. */
  readonly cases: readonly [mine: number, all: number]
  /** The same of files of tests in TypeScript. */
  readonly files: readonly [mine: number, all: number]
  /** Expected seconds of this shard, and of all shards. */
  readonly seconds: readonly [mine: number, all: number]
  /** How many have no time of their own, and count as the median of the others. */
  readonly unknown: number
  /** Whether any has one. Otherwise all count the same. */
  readonly isTimed: boolean
  /** Keys of the cases of this shard. */
  readonly keys: ReadonlySet<string>
}

/** The files of tests in TypeScript that run on each machine, by key: its number, from 1. */
export function cutFiles(files: readonly ShardUnit[], count: number): ReadonlyMap<string, number> {
  const usual = medianOf(files) ?? 1
  return assign(files.map(settledWith(usual)), count, idle(count))
}

/**
 * Cuts cases into shards of about the same time: longest first, each to the shard that has the least so far. A case
 * without a time counts as the median of the others.
 */
export function cutShards({ cases, files }: ShardUnits, { index, count }: Shard): ShardCut {
  const median = medianOf(cases) ?? medianOf(files)
  const settled = cases.map(settledWith(median ?? 1))
  const settledFiles = files.map(settledWith(medianOf(files) ?? median ?? 1))
  const shardOfFile = cutFiles(files, count)
  const busy = idle(count)
  for (const { key, seconds } of settledFiles) add(busy, shardOfFile.get(key), seconds)
  const shardOf = assign(settled, count, busy)
  const ownCases = settled.filter(({ key }) => shardOf.get(key) === index)
  const all = [...cases, ...files]
  return {
    hash: sha256OfJson([byKey(files), byKey(cases)].map((units) => units.map(({ key, seconds }) => [key, seconds]))),
    cases: [ownCases.length, cases.length],
    files: [settledFiles.filter(({ key }) => shardOfFile.get(key) === index).length, files.length],
    seconds: [busy[index - 1] ?? 0, sum(busy)],
    unknown: all.filter(({ seconds }) => seconds === null).length,
    isTimed: median !== null,
    keys: new Set(ownCases.map(({ key }) => key)),
  }
}

/** One sentence on how a run was cut. `times` says where they come from, such as `recordings`. */
export function describeCut(cut: ShardCut, { index, count }: Shard, times: string): string {
  const { cases, files, seconds, unknown, isTimed } = cut
  const parts = [
    `${cases[0]} of ${plural(cases[1], 'case')}`,
    ...(files[1] === 0 ? [] : [`${files[0]} of ${plural(files[1], 'test file')}`]),
  ]
  const head = `shard ${index}/${count}: ${parts.join(' and ')}`
  if (!isTimed) return `${head}, all counted the same: ${times} have no time of them`
  const [ofShard, whole] = seconds.map((one) => formatSeconds(one))
  const without = unknown === 0 ? '' : `; ${unknown} without a time ${unknown === 1 ? 'counts' : 'count'} as the median`
  return `${head}, about ${ofShard} of ${whole} by ${times}${without}`
}

interface SettledUnit extends ShardUnit {
  readonly seconds: number
}

function settledWith(usual: number): (unit: ShardUnit) => SettledUnit {
  return ({ key, seconds }) => ({ key, seconds: seconds ?? usual })
}

// Ties are settled by key, so that the order in which files are found decides nothing.
function assign(units: readonly SettledUnit[], count: number, busy: number[]): ReadonlyMap<string, number> {
  const shardOf = new Map<string, number>()
  for (const { key, seconds } of byKey(units).toSorted((a, b) => b.seconds - a.seconds)) {
    let least = 0
    for (let shard = 1; shard < count; shard += 1) if ((busy[shard] ?? 0) < (busy[least] ?? 0)) least = shard
    shardOf.set(key, least + 1)
    add(busy, least + 1, seconds)
  }
  return shardOf
}

function byKey<Unit extends ShardUnit>(units: readonly Unit[]): readonly Unit[] {
  return units.toSorted((a, b) => compareTexts(a.key, b.key))
}

function add(busy: number[], shard: number | undefined, seconds: number): void {
  if (shard !== undefined) busy[shard - 1] = (busy[shard - 1] ?? 0) + seconds
}

function idle(count: number): number[] {
  return Array.from({ length: count }, () => 0)
}

function medianOf(units: readonly ShardUnit[]): number | null {
  const sorted = units.flatMap(({ seconds }) => seconds ?? []).toSorted((a, b) => a - b)
  if (sorted.length === 0) return null
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? 0
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2
}
