import type { CasePair } from './match-cases.ts'
import { whatDiffers } from './what-differs.ts'
import { changeInterval, changeOf, type TallyPair } from '../statistics/regression-tests.ts'
import { isDecided, isScripted, tallyOf } from '../results/result.ts'
import type { ReadCase } from '../read-report.ts'
import type { ArmOfCase, GatedCase } from './comparison-schema.ts'

/** One case in both arms, before it is tested. */
export type ComparedPair = Omit<GatedCase, 'adjusted_p_value' | 'p_value' | 'regressed'>

type PairStatus = ComparedPair['status']

/** The tallies of a case that is tested. */
export function talliesOf(pair: ComparedPair): TallyPair | null {
  return pair.status === 'compared' ? bothOf(pair) : null
}

function bothOf({ before, after }: Pick<ComparedPair, 'after' | 'before'>): TallyPair | null {
  return before === null || after === null ? null : { before, after }
}

/** Says of a pair whether it can be tested. */
export function comparePair([before, after]: CasePair): ComparedPair {
  const { id = null, engine = null } = after ?? before ?? {}
  const arms = { before: armOf(before), after: armOf(after) }
  const [status, why] = statusOf(before, after)
  const tallies = RATED.has(status) && hasRate(before) && hasRate(after) ? bothOf(arms) : null
  const hasChance = status !== 'mixed' && ![before, after].some((one) => one !== null && isScripted(one))
  return {
    name: nameOf(before, after),
    id,
    engine,
    status,
    why,
    ...arms,
    change: tallies === null ? null : changeOf(tallies),
    // Without 0 in it, it is a p-value by another name; and answers that somebody wrote have no chance in them.
    interval: tallies !== null && hasChance ? changeInterval(tallies) : null,
  }
}

/** A case of the version before that is in no file any more. */
export function deletedPair({ id, name }: Pick<ComparedPair, 'id' | 'name'>): ComparedPair {
  return { ...comparePair([null, null]), id, name, why: 'it was deleted since' }
}

// Where several engines run, a name says which: what two engines share is not of one of them.
function nameOf(before: ReadCase | null, after: ReadCase | null): string {
  const { name = '', engine = null } = after ?? before ?? {}
  const suffix = ` (${engine})`
  const isOfTwo = before !== null && after !== null && before.engine !== after.engine
  return isOfTwo && name.endsWith(suffix) ? name.slice(0, -suffix.length) : name
}

// Other statuses have no comparable rates.
const RATED: ReadonlySet<PairStatus> = new Set(['compared', 'mixed', 'quarantined'])

function hasRate(entry: ReadCase | null): boolean {
  return entry !== null && isDecidedByRuns(entry) && !stoppedEarly(entry)
}

function statusOf(before: ReadCase | null, after: ReadCase | null): readonly [PairStatus, string | null] {
  if (after === null) return ['missing', 'it is in the report before, and not in the one after']
  if (after.quarantined !== null) return ['quarantined', 'in quarantine']
  if (before === null) return ['new', 'it is not in the report before']
  const asks = whatDiffers(before, after)
  if (asks.length > 0) return ['changed', `it asks something else: ${asks.join(', ')}`]
  if (!isDecidedByRuns(after))
    return isDecidedByRuns(before)
      ? ['errored', reasonOf(after) ?? `it is ${after.outcome}`]
      : ['undecided', `it is ${before.outcome} before and ${after.outcome} after`]
  if (!isDecidedByRuns(before))
    return ['undecided', `it is ${before.outcome} before: ${reasonOf(before) ?? 'no reason is known'}`]
  if (stoppedEarly(before) || stoppedEarly(after))
    return ['stopped', 'its runs stopped at the verdict (--runs auto), so they have no rate. Name a number of runs']
  const [from, to] = [answersOf(before), answersOf(after)]
  if (from !== null && to !== null && from !== to)
    return ['mixed', `${MIXED[from]} before, ${MIXED[to]} after. ${WHY_MIXED}`]
  return ['compared', null]
}

function reasonOf({ error, skip_reason: skipped }: ReadCase): string | null {
  return error ?? skipped
}

function isDecidedByRuns(entry: ReadCase): boolean {
  return isDecided(entry) && tallyOf(entry).completed > 0
}

function stoppedEarly({ repeats, trigger }: ReadCase): boolean {
  return (repeats?.saved ?? trigger?.saved ?? null) !== null
}

type Answers = 'live' | 'replay' | 'scenario'

function answersOf({ source }: ReadCase): Answers | null {
  if (source === 'record' || source === 'live') return 'live'
  return source === 'replay' || source === 'scenario' ? source : null
}

const MIXED: Readonly<Record<Answers, string>> = { live: 'live', replay: 'replayed', scenario: 'from a scenario' }
const WHY_MIXED = 'No p-value: authors commit recordings that pass, so live and replayed runs are not drawn alike.'

function armOf(entry: ReadCase | null): ArmOfCase | null {
  if (entry === null) return null
  const { outcome, cost_usd, duration_seconds, source } = entry
  return {
    outcome,
    ...tallyOf(entry),
    answers: source,
    cost_usd,
    duration_seconds,
    error: reasonOf(entry),
  }
}
