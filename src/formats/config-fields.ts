import { z } from 'zod'

const MAX_TIMEOUT = 86_400

/** Seconds that a case may take. */
export const timeout: z.ZodType<number> = z.number().refine((value) => value > 0 && value <= MAX_TIMEOUT, {
  error: `must be more than 0 and at most ${MAX_TIMEOUT} seconds`,
  params: { code: 'out-of-range' },
})

/** The value of a variable. */
export const envValue: z.ZodType<string> = z
  .string()
  .refine((value) => !value.includes('\0'), 'must not contain a NUL character')
