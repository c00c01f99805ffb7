import { noEffectAt, warningAt } from '../../../documents/document.ts'
import { readCommonExpectations, readExpectations, type Expectations } from './fields/expectations.ts'
import { ID_FIELDS } from './fields/skill-fields.ts'
import { oneLine } from './one-line.ts'
import { commonPart, describeMistake, promptFieldOf, unsentPrompts, unusedReasons } from './entry-parts.ts'
import { toChecks } from './routing/routed-expectations.ts'
import type { Issue } from '../../../documents/issue.ts'
import type { Criteria, EvalCase, Statement } from '../../suite.ts'
import type { EntryCase, ReadEntry } from './entry-case.ts'

/** Reads an artifact eval: a prompt, and what has to hold once it is done. */
export function readSkillEval(read: ReadEntry): EntryCase {
  const { entry, document, shared } = read
  const promptField = promptFieldOf(entry)

  const { id, issues } = idOf(read)
  const own = withOwnMistakes(readExpectations(entry, document))
  const mistake = own.issues.find(({ severity }) => severity === 'error')
  const common = readCommonExpectations(read.common)
  const routed = read.routing === null ? [] : toChecks(read.routing)
  const asked = judged(own, common, read)
  const checks = [...routed, ...own.checks, ...common.checks]
  const at = document.positionOf([ID_FIELDS.find((field) => entry[field] !== undefined) ?? promptField ?? 'prompt'])
  const isSilent = asked.statements.length + checks.length + own.issues.length + common.issues.length === 0
  const [titleField, ...otherTitles] = TITLES.filter((field) => entry[field] !== undefined)
  const title = titleField === undefined ? undefined : entry[titleField]
  const name = title === undefined || oneLine(title) === id ? id : `${id} ${oneLine(title)}`
  // What is spread comes last: V8 adds a field to a spread object ten times as slowly.
  const evalCase: EvalCase = {
    id,
    name: oneLine(name),
    checks,
    criteria: criteriaOf(asked),
    at,
    runs: entry.runs ?? entry.runs_per_query ?? shared.runs ?? null,
    passThreshold: entry.pass_threshold ?? entry.threshold ?? shared.pass_threshold ?? null,
    ...(mistake === undefined ? {} : { broken: describeMistake(mistake) }),
    ...commonPart(read, promptField),
  }
  return {
    issues: [
      ...issues,
      ...unsentPrompts(read),
      ...unusedReasons(read),
      ...otherTitles.map((field) => noEffectAt(document, [field], `has no effect: "${titleField}" is the name`)),
      ...own.issues,
      ...common.issues,
      ...(isSilent && evalCase.skipped === undefined ? [noExpectations(read)] : []),
      ...asked.issues,
      ...unusedByEvals(read),
    ],
    evalCase,
  }
}

// An expectation that cannot be decided is a mistake of its case alone.
function withOwnMistakes(own: Expectations): Expectations {
  const issues = own.issues.map((issue): Issue => (issue.severity === 'error' ? { ...issue, skips: true } : issue))
  return { ...own, issues }
}

const TITLES = ['eval_name', 'name', 'title'] as const

interface Judged {
  readonly statements: readonly Statement[]
  readonly context: readonly Statement[]
  readonly issues: readonly Issue[]
}

// The description of a good result is judged where nothing else is, and context where something is.
function judged(own: Expectations, common: Expectations, { document, prose }: ReadEntry): Judged {
  const listed = [...own.statements, ...common.statements]
  const described =
    prose === null ? [] : [{ text: prose.text, at: document.positionOf([prose.field]), document, field: [prose.field] }]
  const context = [...own.context, ...described]
  const [first, ...more] = context
  if (listed.length === 0 && own.checks.length + common.checks.length === 0 && first !== undefined)
    return { statements: [{ text: first.text, at: first.at, implied: true }], context: more, issues: [] }
  if (listed.length > 0) return { statements: listed, context, issues: [] }
  const message = 'has no effect: only checks are expected, so no judge is asked'
  const unused = context.map(({ field, ...one }) => noEffectAt(one.document, field, message))
  return { statements: [], context: [], issues: unused }
}

function unusedByEvals({ entry, document }: ReadEntry): readonly Issue[] {
  const unused = [
    ...(entry.trigger_threshold === undefined ? [] : ['trigger_threshold']),
    ...(entry.runs === undefined || entry.runs_per_query === undefined ? [] : ['runs_per_query']),
    ...(entry.pass_threshold === undefined || entry.threshold === undefined ? [] : ['threshold']),
  ]
  return unused.map((field) =>
    noEffectAt(document, [field], 'has no effect on an eval; write "runs" and "pass_threshold"'),
  )
}

/** The id as written; without one its number, with a remark. */
function idOf({ entry, document, number }: ReadEntry): { readonly id: string; readonly issues: readonly Issue[] } {
  const [field, ...others] = ID_FIELDS.filter((name) => entry[name] !== undefined)
  const unused = others
    .filter((name) => name !== 'eval_name' && entry[name] !== entry[field ?? 'id'])
    .map((name) => noEffectAt(document, [name], `has no effect: "${field}" is the id`))
  if (field !== undefined) return { id: oneLine(String(entry[field])), issues: unused }
  const message = `missing; the id is the entry's number ${number} until another is inserted before it. Add a stable id`
  return {
    id: `eval-${number}`,
    issues: [{ ...warningAt(document, ['id'], 'missing-field', message), noEffect: true }],
  }
}

function criteriaOf({ statements, context }: Judged): Criteria | null {
  const [first] = statements
  if (first === undefined) return null
  const text = statements.map((statement) => `- ${statement.text}`).join('\n')
  const shown = context.map((one) => one.text)
  return { text, at: first.at, statements, ...(shown.length === 0 ? {} : { context: shown }) }
}

function noExpectations({ document }: ReadEntry): Issue {
  const message = 'no expectations, so no result can be right or wrong, so the eval is skipped'
  return warningAt(document, ['expectations'], 'no-expectations', message)
}
