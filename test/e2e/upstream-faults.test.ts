// @module-tag claude-code
// @module-tag slow
import { beforeAll, describe, expect, test } from 'vitest'
import type { ReportCase } from '../../src/report/report.ts'
import { FAULTS, HANGS, RATE_LIMITED, type Fault } from '../support/conformance/faults.ts'
import { runFaults, runOutOfCredit } from '../support/conformance/live.ts'
import { installedEngines, type InstalledEngine } from '../support/conformance/matrix.ts'
import { endOf, formatTable, readDocTable } from '../support/conformance/table.ts'
import type { PackageRun } from '../support/package-run.ts'

const HEADING = 'fault'
const ALL = [...FAULTS, ...HANGS, RATE_LIMITED]
const NO_CREDIT = 'credit is used up'

interface FaultRuns {
  readonly engine: InstalledEngine
  /** By fault. */
  readonly faults: ReadonlyMap<Fault, PackageRun>
  readonly noCredit: PackageRun
}

describe('an API that fails', { tags: ['claude-code', 'codex', 'copilot'] }, () => {
  let runs: readonly FaultRuns[]

  beforeAll(async () => {
    const engines = await installedEngines()
    runs = await Promise.all(
      engines.map(async (engine) => {
        // A busy machine takes long for a session to begin, and for one that fails after a dozen requests.
        const groups: readonly (readonly [faults: readonly Fault[], seconds: number])[] = [
          [FAULTS, 180],
          [HANGS, 60],
          [[RATE_LIMITED], 60],
        ]
        const found = await Promise.all(
          groups.map(async ([faults, seconds]) => {
            const run = await runFaults(engine, faults, seconds)
            return faults.map((fault) => [fault, run] as const)
          }),
        )
        return { engine, faults: new Map(found.flat()), noCredit: await runOutOfCredit(engine) }
      }),
    )
  })

  test.for(ALL.map((fault) => [fault.name, fault] as const))('by %s', ([, fault]) => {
    const { ends, error = null } = fault
    const expected = { ends, error: error === null ? null : (expect.stringMatching(error) as string) }
    expect(byEngine((run) => reported(run, fault))).toEqual(byEngine(() => expected))
  })

  test('because its account has no credit left stops new work', () => {
    const counted = { status: 'partial', ends: ['ERROR out-of-credit', 'PASS', 'SKIP', 'SKIP'] }
    const reason = expect.stringMatching(
      /^not-run: The API at \S+ has no credit left \(4\d\d\): .*Top up the account/,
    ) as string
    expect(
      byEngine(({ noCredit: { report } }) => ({
        status: report.status,
        ends: report.cases.map((one) => endOf({ ...one, skip_reason: null })).toSorted(),
        reasons: report.cases.flatMap(({ skip_reason: why }) => (why === null ? [] : [why])),
      })),
    ).toEqual(byEngine(() => ({ ...counted, reasons: [reason, reason] })))
  })

  test('is in the table of docs/conformance.md', async () => {
    const faults = ALL.map((fault) => ({
      title: fault.name.replaceAll('-', ' '),
      cells: runs.map((run) => endOf(caseOf(run, fault))),
    }))
    const noCredit = runs.map(({ noCredit: { report } }) =>
      [...new Set(report.cases.map((one) => endOf({ ...one, skip_reason: null })))].toSorted().join(', '),
    )
    const engines = runs.map(({ engine }) => engine.name)
    const table = { engines, rows: [...faults, { title: NO_CREDIT, cells: noCredit }] }
    console.log(formatTable(HEADING, table))
    expect(await readDocTable(HEADING, engines)).toEqual(table)
  })

  function byEngine(tell: (run: FaultRuns) => unknown): Readonly<Record<string, unknown>> {
    return Object.fromEntries(runs.map((run) => [run.engine.name, tell(run)]))
  }
})

function reported(run: FaultRuns, fault: Fault): object {
  const one = caseOf(run, fault)
  return { ends: endOf(one), error: one.error }
}

function caseOf({ faults }: FaultRuns, fault: Fault): ReportCase {
  return faults.get(fault)!.case(`f-${fault.name}`)
}
