import { matchCases, whatDiffers } from '../diff/diff-provenance.ts'
import { changeInterval, type TallyPair } from '../statistics/regression-tests.ts'
import type { Tally } from '../statistics/tests.ts'
import type { Interval } from '../../lib/rates.ts'
import type { Outcome } from '../results/result.ts'
import type { ReadCase, ReadReport } from '../read-report.ts'

/**
 * How a case can be compared. `compared` is tested. `new` and `undecided` say nothing of a regression. The others leave
 * the gate without an answer.
 */
export type PairStatus = 'changed' | 'compared' | 'errored' | 'missing' | 'mixed' | 'new' | 'undecided'

/** One side of a case. */
export interface ArmOfCase {
  readonly outcome: Outcome
  /** Runs that passed: for a trigger query those in which the skill was used as it should be. */
  readonly passed: number
  readonly completed: number
  readonly answers: string | null
  readonly cost_usd: number | null
  readonly duration_seconds: number | null
  /** Why it did not pass. */
  readonly error: string | null
}

/** One case in both arms. */
export interface ComparedPair {
  readonly name: string
  readonly id: string | null
  readonly engine: string | null
  readonly status: PairStatus
  /** Why it is not tested; `null` where it is. */
  readonly why: string | null
  readonly before: ArmOfCase | null
  readonly after: ArmOfCase | null
  /** Rate after minus rate before; `null` where a side has none. */
  readonly change: number | null
  /** At 95 %, by Newcombe's method. */
  readonly interval: Interval | null
}

/** Matches the cases of two reports and says of each whether its runs can be tested against each other. */
export function compareArms(before: ReadReport, after: ReadReport): readonly ComparedPair[] {
  return matchCases(ownCases(before), ownCases(after)).map(([was, is]) => comparePair(was, is))
}

function ownCases({ cases }: ReadReport): readonly ReadCase[] {
  return cases.filter(({ arm }) => arm === null)
}

/** The tallies of a case that is tested. */
export function talliesOf({ before, after, status }: ComparedPair): TallyPair | null {
  return status === 'compared' && before !== null && after !== null ? { before, after } : null
}

function comparePair(was: ReadCase | null, is: ReadCase | null): ComparedPair {
  const { name = '', id = null, engine = null } = is ?? was ?? {}
  const [before, after] = [armOf(was), armOf(is)]
  const [status, why] = statusOf(was, is)
  const both = before === null || after === null ? null : { before, after }
  const isRated = both !== null && before !== null && after !== null && before.completed > 0 && after.completed > 0
  return {
    name,
    id,
    engine,
    status,
    why,
    before,
    after,
    change: isRated ? after.passed / after.completed - before.passed / before.completed : null,
    interval: both === null ? null : changeInterval(both),
  }
}

function statusOf(was: ReadCase | null, is: ReadCase | null): readonly [PairStatus, string | null] {
  if (is === null) return ['missing', 'it is in the report before, and not in the one after']
  if (was === null) return ['new', 'it is not in the report before']
  const asks = whatDiffers(was, is)
  if (asks.length > 0) return ['changed', `it asks something else: ${asks.join(', ')}`]
  if (!isDecided(is))
    return isDecided(was)
      ? ['errored', is.error ?? is.skip_reason ?? `it is ${is.outcome}`]
      : ['undecided', `it is ${was.outcome} before and ${is.outcome} after`]
  if (!isDecided(was))
    return ['undecided', `it is ${was.outcome} before: ${was.error ?? was.skip_reason ?? 'no reason is known'}`]
  const [of, to] = [answersOf(was), answersOf(is)]
  if (of !== null && to !== null && of !== to) return ['mixed', `${MIXED[of]} before, ${MIXED[to]} after. ${WHY_MIXED}`]
  return ['compared', null]
}

function isDecided(entry: ReadCase): boolean {
  return (entry.outcome === 'passed' || entry.outcome === 'failed') && tallyOf(entry).completed > 0
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
  const { outcome, error, skip_reason: skipped, cost_usd, duration_seconds, source } = entry
  return {
    outcome,
    ...tallyOf(entry),
    answers: source,
    cost_usd,
    duration_seconds,
    error: error ?? skipped,
  }
}

function tallyOf({ outcome, repeats, trigger }: ReadCase): Tally {
  if (trigger != null) {
    const { should_trigger: shouldTrigger, fired, completed } = trigger
    return { passed: shouldTrigger ? fired : completed - fired, completed }
  }
  if (repeats != null) return { passed: repeats.passed, completed: repeats.completed }
  return { passed: Number(outcome === 'passed'), completed: Number(outcome === 'passed' || outcome === 'failed') }
}
