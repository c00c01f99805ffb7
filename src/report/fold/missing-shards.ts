import { AgentEvalsError } from '../../errors.ts'
import { isJsonObject } from '../../json.ts'
import type { RunPlan } from '../../results/run-plan.ts'

/** Shards without which a run is not whole. */
export interface MissingShards {
  /** Such as `2/4`. */
  readonly shards: readonly string[]
  /** One sentence for the report. */
  readonly remark: string
}

/**
 * Finds the shards of a cut that are not among the runs: a machine that was lost must not look like fewer cases.
 *
 * @throws {AgentEvalsError} `invalid-options` when runs of different cuts or of different cases are mixed.
 */
export function findMissingShards(plans: readonly Pick<RunPlan, 'options' | 'plan' | 'run'>[]): MissingShards | null {
  const shards = plans.map(({ options }) => shardOf(options['shard']))
  const cut = shards.filter((shard) => shard !== null)
  const counts = new Set(cut.map(({ count }) => count))
  if (counts.size > 1 || (cut.length > 0 && cut.length < shards.length)) {
    const descriptions = plans.map(({ run }, index) => `${run} is ${describe(shards[index] ?? null)}`)
    throw new AgentEvalsError('invalid-options', `These runs are not parts of one run: ${descriptions.join(', ')}.`)
  }
  const hashes = new Set(
    plans.flatMap(({ plan }, index) => (shards[index] === null || plan === undefined ? [] : [plan])),
  )
  if (hashes.size > 1) {
    const descriptions = plans.map(({ run, plan = 'unknown' }) => `${run} has ${plan.slice(0, 12)}`)
    const advice = 'Start each shard with the same filters and options, on the same commit.'
    throw new AgentEvalsError(
      'invalid-options',
      `The shards planned different cases, so these runs are not parts of one run: ${descriptions.join(', ')}. ${advice}`,
    )
  }

  const count = cut[0]?.count ?? 0
  const found = new Set(cut.map(({ index }) => index))
  const missing = Array.from({ length: count }, (_, index) => index + 1).filter((index) => !found.has(index))
  if (missing.length === 0) return null
  const names = missing.map((index) => `${index}/${count}`)
  return { shards: names, remark: remarkOf(names) }
}

function remarkOf(shards: readonly string[]): string {
  const [shard] = shards
  return shards.length === 1
    ? `The shard ${shard} of this run is missing; its cases are not in the report.`
    : `The shards ${shards.join(', ')} of this run are missing; their cases are not in the report.`
}

interface PlannedShard {
  readonly index: number
  readonly count: number
}

function shardOf(value: unknown): PlannedShard | null {
  if (!isJsonObject(value)) return null
  const { index, count } = value
  return typeof index === 'number' && typeof count === 'number' ? { index, count } : null
}

function describe(shard: PlannedShard | null): string {
  return shard === null ? 'a whole run' : `shard ${shard.index}/${shard.count}`
}
