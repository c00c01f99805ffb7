import { z } from 'zod'
import { parseJson } from '../documents/parse-json.ts'
import type { JsonObject, JsonValue } from '../json.ts'

/** Reads the JSON of a judge's text, or says in one sentence what is there instead. */
export function readJson(text: string): { readonly value: JsonValue } | { readonly malformed: string } {
  try {
    const value = JSON.parse(text) as JsonValue
    // Of two equal keys a parser keeps the last: which verdict was meant is unknown.
    const isAmbiguous = parseJson(text).mistakes.some(({ code }) => code === 'duplicate-key')
    return isAmbiguous ? { malformed: 'a key is in it twice' } : { value }
  } catch {
    return { malformed: describe(text.trim()) }
  }
}

function describe(start: string): string {
  if (start === '') return 'the answer is empty'
  if (start.startsWith('```')) return 'the answer is in a code fence'
  return start.startsWith('{') ? 'the answer is not valid JSON, or breaks off' : 'the answer is not JSON'
}

/** What is wrong with an answer. It goes into the second request, so nothing of the answer is in it: that may be an agent's words. */
export function describeIssue(issue: z.core.$ZodIssue | undefined): string {
  if (issue === undefined || issue.code === 'unrecognized_keys') return 'it has fields that were not asked for'
  const path = issue.path.map(String).join('.')
  return `${path === '' ? 'the answer' : `"${path}"`}: ${issue.message}`
}

/** A schema of an object with exactly these fields. */
export function objectOf(properties: JsonObject): JsonObject {
  return { type: 'object', additionalProperties: false, required: Object.keys(properties), properties }
}

export function textOf(description: string): JsonObject {
  return { type: 'string', description }
}

/** Quotes of a verdict, and what was searched for where something is absent. The rules say what goes in. */
export const EVIDENCE_FIELDS: JsonObject = {
  evidence: { type: 'array', items: objectOf({ item: { type: 'string' }, quote: { type: 'string' } }) },
  looked_for: { type: 'array', items: { type: 'string' } },
}

/** {@link EVIDENCE_FIELDS} as they are read. */
export const evidenceFields = {
  evidence: z.array(
    z.strictObject({
      // Some put the brackets around it that the evidence has.
      item: z
        .string()
        .nullable()
        .transform((id) => id?.replaceAll(/[[\]\s]/g, '') || null),
      quote: z.string(),
    }),
  ),
  looked_for: z.array(z.string()).default([]),
}
