import { z } from 'zod'

// A report may come from another version, another program or another machine: what it does not say is `null`, and what
// it says in another way is not taken over.

/** A text, cut where it is too long for a page. */
export const text = (most = 100_000): z.ZodType<string> => z.string().transform((value) => value.slice(0, most))
/** A text, or `null`. */
export const maybeText: z.ZodType<string | null> = text().nullable().catch(null)
/** A number, or `null`. */
export const maybeNumber: z.ZodType<number | null> = z.number().nullable().catch(null)
/** A whole number; 0 where there is none. */
export const count: z.ZodType<number> = z.number().int().nonnegative().catch(0)
/** An interval of shares, or `null`. */
export const interval: z.ZodType<readonly [number, number] | null> = z
  .tuple([z.number(), z.number()])
  .nullable()
  .catch(null)

/** The readable items of a list, up to a number. */
export function list<T>(item: z.ZodType<T>, most = 1000): z.ZodType<readonly T[]> {
  return z
    .array(item.nullable().catch(null))
    .transform((items) => items.filter((one) => one !== null).slice(0, most) as T[])
    .catch([])
}
