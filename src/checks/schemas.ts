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
  return zod.string().check(refusing('unsafe-path', pathProblem)).meta(RELATIVE_PATH)
}

/** Why a text is no path of the workspace; `null` for one that is. */
export function pathProblem(path: string): string | null {
  const problem = checkRelativePath(path)
  return problem === null ? null : `the path ${problem}`
}

/** The check of a schema that refuses a value for the problem that it has, with the code of the issue; `null`: none. */
export function refusing<Value>(code: string, problemOf: (value: Value) => string | null): z.core.CheckFn<Value> {
  return ({ value, issues }) => {
    const problem = problemOf(value)
    if (problem !== null) issues.push({ code: 'custom', input: value, message: problem, params: { code } })
  }
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
