import { matchCases, whatDiffers, type CasePair } from '../diff/diff-provenance.ts'
import { changeInterval, type TallyPair } from '../statistics/regression-tests.ts'
import type { Tally } from '../statistics/tests.ts'
import type { ReadCase, ReadReport } from '../read-report.ts'
import type { ArmOfCase, GatedCase } from './gate-schema.ts'

/** One case in both arms, before it is tested. */
export type ComparedPair = Omit<GatedCase, 'adjusted_p_value' | 'p_value' | 'regressed'>

type PairStatus = ComparedPair['status']

/** Matches the cases of two reports and says of each whether its runs can be tested against each other. */
export function compareArms(before: ReadReport, after: ReadReport): readonly ComparedPair[] {
  return matchCases(ownCases(before), ownCases(after)).map(([was, is]) => comparePair(was, is))
}

/** Pairs the cases of a report with the same cases with the version before. */
export function compareWithin({ cases }: ReadReport): readonly ComparedPair[] {
  return armsWithin(cases).map(([was, is]) => comparePair(was, is))
}

/** The cases of a report that ran with the version before, each with the case itself. */
export function armsWithin(cases: readonly ReadCase[]): readonly CasePair[] {
  const before = new Map(cases.filter(({ arm }) => arm === 'before').map((one) => [keyOf(one), one]))
  return cases.flatMap((one): readonly CasePair[] => {
    if (one.arm !== null) return []
    const was = before.get(keyOf(one))
    return was === undefined ? [] : [[was, one]]
  })
}

function keyOf({ id, arm, engine }: ReadCase): string {
  const whole = id ?? ''
  return `${engine}\0${arm === null ? whole : whole.slice(0, -arm.length - 1)}`
}

function ownCases({ cases }: ReadReport): readonly ReadCase[] {
  return cases.filter(({ arm }) => arm === null)
}

/** The tallies of a case that is tested. */
export function talliesOf({ before, after, status }: ComparedPair): TallyPair | null {
  return status === 'compared' && before !== null && after !== null ? { before, after } : null
}

/** Says of a pair whether it can be tested; `lost` names a case of which neither side has a result. */
export function comparePair(
  was: ReadCase | null,
  is: ReadCase | null,
  lost?: Pick<ComparedPair, 'id' | 'name' | 'why'>,
): ComparedPair {
  const { name = lost?.name ?? '', id = lost?.id ?? null, engine = null } = is ?? was ?? {}
  const [before, after] = [armOf(was), armOf(is)]
  const [status, why] = lost === undefined ? statusOf(was, is) : (['missing', lost.why] as const)
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
