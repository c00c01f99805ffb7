import type { GatedBudget, GatedCase, Comparison } from './comparison-schema.ts'
import type { ReadReport } from '../read-report.ts'
import type { ComparedPair } from './compare-case.ts'
import { findDifferences, findEdits, scenariosOfEngines } from './made-with.ts'
import { pairArms, pairCases, type CasePair } from './match-cases.ts'
import { EXIT_CODES, testPairs } from './test-pairs.ts'
import { compareLift, totalsOf } from './totals.ts'
import { verdictOf, worstOf } from './verdicts.ts'

/** Compares two reports: their cases, what they were made with, what they cost. */
export function compare(before: ReadReport, after: ReadReport): Comparison {
  return comparePairs(pairCases(before.cases, after.cases), before, after)
}

/**
 * Compares the reports of one run with the version before, or with an earlier report; `null` where the run compared
 * nothing.
 */
export function compareRun(reports: readonly ReadReport[], earlier: ReadReport | null): Comparison | null {
  const [first] = reports
  const against = reports.flatMap((one) => one.against ?? [])
  if (first === undefined || against.length === 0) return null
  const after = { ...first, cases: reports.flatMap(({ cases }) => cases) }
  const arms = reports.flatMap(({ cases }) => pairArms(cases, 'variant'))
  const deleted = against.flatMap(({ result }) => result.cases.filter(isDeleted))
  return {
    ...(earlier === null ? comparePairs(arms, null, after, deleted) : compare(earlier, after)),
    edits: against.flatMap(({ edits }) => edits),
    texts: against.flatMap(({ texts }) => texts),
  }
}

// Of the version before, and in no file any more.
function isDeleted({ before, after, status }: GatedCase): boolean {
  return status === 'missing' && before === null && after === null
}

// Without a report before, both sides are arms of the one run.
function comparePairs(
  pairs: readonly CasePair[],
  earlier: ReadReport | null,
  after: ReadReport,
  deleted: readonly ComparedPair[] = [],
): Comparison {
  const before = earlier ?? after
  const result = testPairs(pairs, [before, after], deleted)
  return {
    ...result,
    notices: [...result.notices, ...remarksOn(before, after, pairs)],
    made_with: findDifferences(before, after),
    edits: findEdits(pairs),
    texts: [],
    totals: totalsOf(pairs, earlier === null ? null : [earlier, after]),
    lift: earlier === null ? [] : compareLift(earlier, after),
  }
}

function remarksOn(before: ReadReport, after: ReadReport, pairs: readonly CasePair[]): readonly string[] {
  const ofEngines = pairs.filter((pair) => scenariosOfEngines(pair).length > 0).length
  const [name, other] = [before.package.name, after.package.name]
  return [
    ...(ofEngines === 0
      ? []
      : [
          `In ${ofEngines} of the cases each engine has a scenario of its own. They compare these scenarios, not models.`,
        ]),
    ...(name !== null && other !== null && name !== other
      ? [`The reports are of two packages: ${name} and ${other}.`]
      : []),
  ]
}

/** A result with limits of the run. `null` is compared with nothing. */
export function withBudgets(result: Comparison | null, budgets: readonly GatedBudget[], after: ReadReport): Comparison {
  const base = result ?? { ...comparePairs([], null, after), before: NOTHING, notices: [] }
  const verdict = worstOf([result?.verdict ?? null, verdictOf(budgets)]) ?? 'passed'
  return { ...base, budgets, verdict, exit_code: EXIT_CODES[verdict] }
}

const NOTHING: Comparison['before'] = { id: null, timestamp: null, status: null }
