import { readFileSync } from 'node:fs'
import { ID_FIELDS, PROMPT_FIELDS } from './formats/skill-fields.ts'
import type { EvalCase } from './suite.ts'

/** Whether a suite file of a skill has a case of the same id, or the same query where that is the id. */
export function hasCase(file: string, { id, prompt }: Pick<EvalCase, 'id' | 'prompt'>): boolean {
  const isQuery = id.startsWith('t-')
  const fields: readonly string[] = isQuery ? PROMPT_FIELDS : ID_FIELDS
  return findsValue(read(file), fields, isQuery ? prompt : id)
}

function read(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}

function findsValue(value: unknown, fields: readonly string[], wanted: string): boolean {
  if (Array.isArray(value)) return value.some((one) => one === wanted || findsValue(one, fields, wanted))
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([key, own]: readonly [string, unknown]) => {
    if (typeof own === 'string' || typeof own === 'number') return fields.includes(key) && String(own) === wanted
    return findsValue(own, fields, wanted)
  })
}
