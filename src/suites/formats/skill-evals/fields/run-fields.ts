import { z } from 'zod'

/** How often an entry runs. */
export const runs: z.ZodNumber = z.number().int().min(1).max(100)

/** A share of runs. At 0 every case passes, whatever its runs show. */
export const share: z.ZodNumber = z.number().gt(0).max(1)

/** How long a run may take. */
export const seconds: z.ZodNumber = z.number().positive().max(86_400)
