import { z } from 'zod'
import type { QuarantineEntry } from './quarantine.ts'

const text = z.string().trim().min(1)
const day = z.iso.date('expected a day, such as 2026-12-31')

/** Checks the entries. */
export const quarantineSchema: z.ZodType<readonly QuarantineEntry[]> = z.array(
  z.strictObject({ case: text, reason: text, since: day, expiry: day }).check(({ value, issues }) => {
    if (value.since > value.expiry)
      issues.push({
        code: 'custom',
        input: value.expiry,
        path: ['expiry'],
        message: `expected a day that is not before since, ${value.since}`,
      })
  }),
)
