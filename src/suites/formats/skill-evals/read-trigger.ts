import { noEffectAt } from '../../../documents/document.ts'
import { sha256 } from '../../../sha256.ts'
import { oneLine } from './one-line.ts'
import { commonPart, promptFieldOf, unsentPrompts, unusedReasons } from './entry-parts.ts'
import { readExpectations } from './fields/expectations.ts'
import type { Issue } from '../../../documents/issue.ts'
import type { TriggerQuestion } from '../../suite.ts'
import { ID_FIELDS } from './fields/skill-fields.ts'
import type { EntryCase, ReadEntry } from './entry-case.ts'
import type { SkillEntry } from './skill-entry.ts'

type Question = Pick<TriggerQuestion, 'accepts' | 'shouldTrigger' | 'skill'>

/** Reads a trigger query: a prompt, and which skill it should make the agent use. */
export function readTrigger(read: ReadEntry, question: Question): EntryCase {
  const { entry, document, shared } = read
  const field = promptFieldOf(entry)
  const query = field === null ? '' : (entry[field] ?? '')
  const [idField] = idsOf(entry)
  const written = idField === undefined ? undefined : entry[idField]
  const at = document.positionOf(field === null ? [] : [field])
  const id = field === null ? `eval-${read.number}` : queryId(query, question)
  return {
    issues: [
      ...unsentPrompts(read),
      ...unusedReasons(read),
      ...readExpectations(entry, document).issues,
      ...unusedByQueries(read),
    ],
    evalCase: {
      id: written === undefined ? id : oneLine(String(written)),
      name: oneLine(query) || String(written ?? id),
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
    ...SYNONYMS.flatMap(([used, field]) =>
      entry[used] === undefined || entry[field] === undefined
        ? []
        : [[field, `has no effect, because there is "${used}"`] as const],
    ),
    ...(prose === null ? [] : [[prose.field, 'has no effect: it names no skill'] as const]),
  ]
  return unused.map(([field, message]) => noEffectAt(document, [field], message))
}

// Of two with one meaning the first counts.
const SYNONYMS = [
  ['runs', 'runs_per_query'],
  ['threshold', 'trigger_threshold'],
] as const

function idsOf(entry: SkillEntry): readonly (typeof ID_FIELDS)[number][] {
  return ID_FIELDS.filter((field) => field !== 'eval_name' && entry[field] !== undefined)
}

// The same query keeps its id wherever it is in the file.
function queryId(query: string, { skill, shouldTrigger }: Question): string {
  const hash = sha256(query.trim(), 8)
  return `t-${hash}${shouldTrigger || skill !== null ? '' : '-none'}`
}
