import { describeQuarantine, isQuarantined } from '../../options/quarantine.ts'
import { plural, shorten, toPrintableLine } from '../../lib/text.ts'
import type { ReportCase } from '../report.ts'
import { countOutcomes } from '../results/result.ts'

type Paint = (style: 'dim' | 'yellow', text: string) => string

/** The cases that gate nothing, each with how it came out and why, then those whose quarantine is over. Empty where there are none. */
export function formatQuarantine(cases: readonly ReportCase[], paint: Paint): readonly (readonly [string, string])[] {
  const named = cases.filter(({ quarantine }) => quarantine !== undefined)
  if (named.length === 0) return []
  const apart = named.filter(isQuarantined)
  const lines = [
    ...apart.toSorted((one, other) => rankOf(one) - rankOf(other)),
    ...named.filter((one) => !isQuarantined(one)),
  ]
  const count =
    apart.length === 0
      ? `${plural(named.length, 'quarantine')} expired`
      : `${plural(apart.length, 'case')} gate${apart.length === 1 ? 's' : ''} nothing: ${countOutcomes(apart)}`
  return [['Quarantine', paint('yellow', count)], ...lines.map((one) => ['', describeCase(one, paint)] as const)]
}

function rankOf({ outcome }: ReportCase): number {
  return ['failed', 'errored', 'skipped', 'passed'].indexOf(outcome)
}

function describeCase({ name, outcome, error, skip_reason: skipped, quarantine }: ReportCase, paint: Paint): string {
  const why = (error ?? skipped ?? '').split('\n')[0] ?? ''
  const shown = why === '' ? '' : `. ${paint('dim', shorten(toPrintableLine(why), LONGEST_REASON))}`
  const state = quarantine === undefined ? '' : describeQuarantine(quarantine)
  return `${toPrintableLine(name)}: ${outcome}, ${state}${shown}`
}

const LONGEST_REASON = 200
