import type { z } from 'zod'
import { checkRelativePath } from '../lib/documents/relative-path.ts'

/** What makes schemas, passed in: a worker runs checks, and must not load the library. */
export type Zod = Pick<
  typeof z,
  | 'array'
  | 'boolean'
  | 'int'
  | 'literal'
  | 'looseObject'
  | 'number'
  | 'record'
  | 'strictObject'
  | 'string'
  | 'union'
  | 'unknown'
>

/** What it makes. */
export type ZodType<Value> = z.ZodType<Value>

/** Reads a path of the workspace. */
export function pathSchema(zod: Zod): z.ZodString {
  const schema = zod.string().check(({ value, issues }) => {
    const problem = checkRelativePath(value)
    if (problem === null) return
    issues.push({ code: 'custom', input: value, message: `the path ${problem}`, params: { code: 'unsafe-path' } })
  })
  return schema.meta(RELATIVE_PATH)
}

/** A relative path, as far as an editor can check it. */
export const RELATIVE_PATH: { readonly minLength: number; readonly pattern: string } = {
  minLength: 1,
  pattern: String.raw`^(?![/~])(?![A-Za-z]:)(?!(?:.*/)?\.\.(?:/|$))[^\\\u0000-\u001F]+$`,
}

/** Reads one of something, or a list of them; each is a check. */
export function oneOrMany<Value>(zod: Zod, one: z.ZodType<Value>): z.ZodType<readonly Value[]> {
  return zod.union([one.transform((value) => [value]), zod.array(one).min(1)])
}

/** Reads a list of texts, each of which is a check. */
export function listOf(zod: Zod, text: z.ZodString): z.ZodType<readonly { readonly value: string }[]> {
  return zod.array(text.transform((value) => ({ value })))
}
