import { readFileSync } from 'node:fs'
import { sep } from 'node:path'
import { valueAt } from '../documents/document.ts'
import { ID_FIELDS, PROMPT_FIELDS } from './formats/skill-fields.ts'
import type { EvalCase, Suite } from './suite.ts'

/** Files by the ids and prompts of their cases. */
export type CaseIndex = ReadonlyMap<string, readonly string[]>

/** Whether a suite file of a skill has a case of the same id, or the same query where that is the id. */
export function hasCase(file: string, evalCase: Pick<EvalCase, 'id' | 'prompt'>): boolean {
  const fields = isQuery(evalCase) ? PROMPTS : IDS
  const wanted = nameOf(evalCase)
  return readFields(readCases(file)).some(([field, value]) => value === wanted && fields.has(field))
}

function nameOf(evalCase: Pick<EvalCase, 'id' | 'prompt'>): string {
  return isQuery(evalCase) ? evalCase.prompt : evalCase.id
}

// The id of a query without one is a hash of it.
function isQuery({ id }: Pick<EvalCase, 'id'>): boolean {
  return id.startsWith('t-')
}

/** Indexes the content of suite files. */
export function indexCases(files: Iterable<readonly [file: string, content: unknown]>): CaseIndex {
  const index = new Map<string, string[]>()
  for (const [file, content] of files)
    for (const name of new Set(readFields(content).map(([, value]) => value))) {
      const known = index.get(name)
      if (known === undefined) index.set(name, [file])
      else known.push(file)
    }
  return index
}

/** For each case another suite of the package that has it too, as far as there is one. */
export function findSiblings(
  { file, packageRoot, cases }: Pick<Suite, 'cases' | 'file' | 'packageRoot'>,
  index: CaseIndex,
): readonly string[] {
  const isOther = (one: string): boolean => one !== file && one.startsWith(`${packageRoot}${sep}`)
  const found = cases.map((evalCase) => index.get(nameOf(evalCase))?.find(isOther))
  return [...new Set(found.filter((one) => one !== undefined))]
}

/** The content of a suite file; `null` where it is not JSON. */
export function readCases(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}

const IDS: ReadonlySet<string> = new Set(ID_FIELDS)
const PROMPTS: ReadonlySet<string> = new Set(PROMPT_FIELDS)

type Named = readonly [field: string, value: string]

/** The values of all fields for ids and prompts, however deep. Texts in a list outside of entries are prompts. */
function readFields(content: unknown, hasPrompts = true): readonly Named[] {
  if (typeof content !== 'object' || content === null) return []
  if (Array.isArray(content))
    return content.flatMap((one: unknown): readonly Named[] => {
      if (typeof one !== 'string') return readFields(one)
      return hasPrompts ? [[PROMPT_FIELDS[0], one]] : []
    })
  const isEntry = PROMPT_FIELDS.some((field) => typeof valueAt(content, field) === 'string')
  return Object.entries(content).flatMap(([field, value]: readonly [string, unknown]): readonly Named[] => {
    if (typeof value !== 'string' && typeof value !== 'number') return readFields(value, !isEntry)
    return IDS.has(field) || PROMPTS.has(field) ? [[field, String(value)]] : []
  })
}
