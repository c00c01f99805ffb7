import { z } from 'zod'
import type { QuarantineEntry } from './quarantine.ts'

const filledText = z.string().trim().min(1)
const day = z.iso.date('expected a day, such as 2026-12-31')

/** Checks the entries, and describes a file that holds them as `schemas/quarantine.schema.json`. */
export const quarantineSchema: z.ZodType<readonly QuarantineEntry[]> = z.array(
  z
    .strictObject({
      case: filledText.describe('Its name, its id, or a glob over both: * for any characters, ? for one.'),
      reason: filledText.describe('Why, for whoever reads the report.'),
      since: day.describe('The day on which it was entered, such as 2026-11-01.'),
      expiry: day.describe(
        'The last day on which it counts. The day after, the case gates again. Days are those of UTC.',
      ),
    })
    .check(({ value, issues }) => {
      if (value.since > value.expiry)
        issues.push({
          code: 'custom',
          input: value.expiry,
          path: ['expiry'],
          message: `expected a day that is not before since, ${value.since}`,
        })
    }),
)
