import { expectTypeOf, test } from 'vitest'
import type { Report, ReportCase, ReportRun, ReportSummary } from '../../dist/report/report.js'
import type * as described from '../../src/report/report.ts'

test('the published types of a report are those of its description', () => {
  expectTypeOf<Report>().toEqualTypeOf<described.Report>()
  expectTypeOf<ReportCase>().toEqualTypeOf<described.ReportCase>()
  expectTypeOf<ReportRun>().toEqualTypeOf<described.ReportRun>()
  expectTypeOf<ReportSummary>().toEqualTypeOf<described.ReportSummary>()
})
