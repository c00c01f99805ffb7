import { deletedPair } from './compare-case.ts'
import type { ChangedText, ReportAgainst } from './comparison-schema.ts'
import { findEdits } from './made-with.ts'
import { pairArms, pairCases } from './match-cases.ts'
import { testPairs } from './test-pairs.ts'
import { ownReport, type ReadReport } from '../read-report.ts'
import type { Report } from '../report.ts'

// What a report says of the version that its cases were compared with.

/** What reports of one run say of an earlier report: each of its own cases, and the first one of those that none has. */
export function compareWithReport(
  earlier: ReadReport,
  ref: string,
  reports: readonly ReadReport[],
): readonly ReportAgainst[] {
  const pairs = pairCases(
    earlier.cases,
    reports.flatMap(({ cases }) => cases),
  )
  return reports.map((report, index) => {
    const ownPairs = pairs.filter(([, after]) => (after === null ? index === 0 : report.cases.includes(after)))
    return {
      ref,
      commit: earlier.git?.commit ?? null,
      edits: findEdits(ownPairs),
      texts: [],
      result: testPairs(ownPairs, [earlier, report]),
    }
  })
}

/** A text for the model that differs between the versions, and in which runs it is shown: those that use one of these skills. */
export interface PlannedText extends ChangedText {
  readonly shown: readonly string[] | 'always' | null
}

/** What is known of a comparison before its runs. */
export interface PlannedAgainst extends Pick<ReportAgainst, 'commit' | 'ref'> {
  readonly texts: readonly PlannedText[]
  /** Cases of the earlier version that are in no file any more. */
  readonly deleted: readonly { readonly id: string; readonly name: string }[]
}

/** What a report says of the version that its cases were compared with. */
export function buildAgainst(report: Report, { ref, commit, texts, deleted }: PlannedAgainst): ReportAgainst {
  const read = ownReport(report)
  const pairs = pairArms(read.cases, 'variant')
  const ran = pairs.flat().filter((one) => one.runs.length > 0)
  const used = new Set(ran.flatMap(({ runs }) => runs.flatMap(({ skills_used: skills }) => skills)))
  return {
    ref,
    commit,
    edits: findEdits(pairs),
    texts: texts.map(({ shown, ...text }) => ({ ...text, seen: isSeen(shown, ran.length > 0, used) })),
    result: testPairs(pairs, [read, read], deleted.map(deletedPair)),
  }
}

function isSeen(shown: PlannedText['shown'], hasRun: boolean, used: ReadonlySet<string>): boolean | null {
  if (shown === null || !hasRun) return null
  return shown === 'always' || shown.some((name) => used.has(name))
}
