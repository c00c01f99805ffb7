import { noEffectAt } from '../../documents/document.ts'
import { sha256 } from '../../sha256.ts'
import { oneLine } from './one-line.ts'
import { commonPart, missingPrompt, promptFieldOf, unsentPrompts, unusedReasons } from './entry-parts.ts'
import { readExpectations } from './expectations.ts'
import type { Issue } from '../../documents/issue.ts'
import type { TriggerQuestion } from '../suite.ts'
import { ID_FIELDS } from './skill-fields.ts'
import type { EntryCase, ReadEntry } from './read-entry.ts'
import type { SkillEntry } from './skill-entry.ts'

type Question = Pick<TriggerQuestion, 'accepts' | 'shouldTrigger' | 'skill'>

/** Reads a trigger query: a prompt, and which skill it should make the agent use. */
export function readTrigger(read: ReadEntry, question: Question): EntryCase {
  const { entry, document, shared } = read
  const field = promptFieldOf(entry)
  if (field === null) return { evalCase: null, issues: [missingPrompt(read, 'query')] }

  const query = entry[field] ?? ''
  const [idField] = idsOf(entry)
  const written = idField === undefined ? undefined : entry[idField]
  const at = document.positionOf([field])
  return {
    issues: [
      ...unsentPrompts(read),
      ...unusedReasons(read),
      ...readExpectations(entry, document).issues,
      ...unusedByQueries(read),
    ],
    evalCase: {
      id: written === undefined ? queryId(query, question) : oneLine(String(written)),
      name: oneLine(query),
      checks: [],
      criteria: null,
      at,
      trigger: {
        ...question,
        runs: entry.runs ?? entry.runs_per_query ?? shared.runs_per_query ?? shared.runs ?? null,
        threshold: entry.threshold ?? entry.trigger_threshold ?? shared.trigger_threshold ?? shared.threshold ?? null,
      },
      ...commonPart(read, field),
    },
  }
}

function unusedByQueries({ entry, document, prose }: ReadEntry): readonly Issue[] {
  const names = (['name', 'title', 'eval_name'] as const).filter((field) => entry[field] !== undefined)
  const [id, ...ids] = idsOf(entry)
  const others = ids.filter((field) => id !== undefined && entry[field] !== entry[id])
  const unused = [
    ...others.map((field) => [field, `has no effect: "${id}" is the id`] as const),
    ...names.map((field) => [field, 'has no effect: a trigger query is named by its prompt'] as const),
    ...(entry.pass_threshold === undefined
      ? []
      : [['pass_threshold', 'has no effect on a trigger query; write "threshold"'] as const]),
    ...(prose === null ? [] : [[prose.field, 'has no effect: it names no skill'] as const]),
  ]
  return unused.map(([field, message]) => noEffectAt(document, [field], message))
}

function idsOf(entry: SkillEntry): readonly (typeof ID_FIELDS)[number][] {
  return ID_FIELDS.filter((field) => field !== 'eval_name' && entry[field] !== undefined)
}

// The same query keeps its id wherever it is in the file.
function queryId(query: string, { skill, shouldTrigger }: Question): string {
  const hash = sha256(query.trim(), 8)
  return `t-${hash}${shouldTrigger || skill !== null ? '' : '-none'}`
}
