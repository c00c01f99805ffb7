import { documentAt, errorAt, warningAt, type ReadDocument } from '../../documents/document.ts'
import { readDocument } from '../../documents/read-document.ts'
import { AAM_DEFAULTS } from './aam-defaults.ts'
import { readContainer, type EntryPlace, type SharedFields } from './skill-container.ts'
import { readSkillEval } from './skill-evals.ts'
import { ELEMENT_FIELDS, knownPart, labelsOf, TRIGGER_FIELDS, validateEntry, type SkillEntry } from './skill-entry.ts'
import { readTrigger } from './triggers.ts'
import type { Issue } from '../../documents/issue.ts'
import type { EvalCase, SkillUnderTest, Suite } from '../suite.ts'
import type { EntryCase, ReadEntry } from './read-entry.ts'

/** What a suite file's text is read with. */
export interface ParseSkillSuiteOptions {
  /** Absolute path of the suite file. */
  readonly file: string
  /** Absolute path of the package. */
  readonly packageRoot: string
  readonly skill: SkillUnderTest
}

/**
 * Reads an `evals.json` or a `triggers.json`, whichever of their dialects it is in; one file may hold both kinds. Pure:
 * whether its files exist is not looked at.
 */
export function parseSkillSuite(text: string, options: ParseSkillSuiteOptions): Suite {
  const document = readDocument(text, { kind: 'json', file: options.file, what: 'eval' })
  const container = readContainer(document)
  const unknown = new Set<string>()
  const read = container.entries.map((place, index) =>
    readEntry(place, index + 1, document, container.shared, options.skill, unknown),
  )
  const cases = read.flatMap(({ evalCase }) => evalCase ?? [])
  return {
    format: cases.length > 0 && cases.every(({ trigger }) => trigger !== undefined) ? 'triggers' : 'skill-evals',
    file: options.file,
    packageRoot: options.packageRoot,
    config: AAM_DEFAULTS,
    skill: options.skill,
    partDir: options.file,
    cases: withOwnNames(cases),
    issues: [
      ...container.issues,
      ...once(read.flatMap(({ issues }) => issues)),
      ...findDuplicates(read, container.entries, document),
      ...checkSkillName(container.shared, document, options.skill),
    ],
  }
}

// What all entries share is read with each of them.
function once(issues: readonly Issue[]): readonly Issue[] {
  return [...new Map(issues.map((issue) => [JSON.stringify(issue), issue])).values()]
}

function readEntry(
  place: EntryPlace,
  number: number,
  document: ReadDocument,
  shared: SharedFields,
  skill: SkillUnderTest,
  unknown: Set<string>,
): EntryCase {
  if (place.text !== null) return readTrigger(bareQuery(place, number, document, shared, skill))
  const known = knownPart(document, place.path, unknown)
  const { value, issues } = validateEntry(known.document)
  if (value === null) return { evalCase: null, issues: [...known.issues, ...issues] }
  const own = place.shouldTrigger === null ? value : { ...value, should_trigger: place.shouldTrigger }
  const labels = labelsOf(place.path.reduce<unknown>((part, step) => Reflect.get(part as object, step), document.value))
  const entry: ReadEntry = {
    entry: own,
    document: known.document,
    shared,
    common: documentAt(document, ['common_assertions']),
    skill,
    number,
    tags: [...labels, ...(own.tags ?? [])].map(toTag).filter((tag) => tag !== ''),
  }
  const isTrigger = TRIGGER_FIELDS.some((field) => own[field] !== undefined)
  if (!isTrigger && isBareQuery(own)) {
    const issue = errorAt(known.document, ['should_trigger'], 'missing-field', 'missing; expected true or false')
    return { evalCase: null, issues: [...known.issues, ...issues, issue] }
  }
  const made = isTrigger ? readTrigger(entry) : readSkillEval(entry)
  return { ...made, issues: [...known.issues, ...issues, ...made.issues] }
}

// A query that neither expects anything nor has an id is a trigger query that does not say what it expects.
function isBareQuery(entry: SkillEntry): boolean {
  const isNamed = entry.id !== undefined || entry.eval_id !== undefined || entry.slug !== undefined
  const expects = ELEMENT_FIELDS.some((field) => entry[field] !== undefined) || entry.expected_output !== undefined
  return entry.query !== undefined && !isNamed && !expects
}

function bareQuery(
  { path, text, shouldTrigger }: EntryPlace,
  number: number,
  document: ReadDocument,
  shared: SharedFields,
  skill: SkillUnderTest,
): ReadEntry {
  const at = document.positionOf(path)
  const own: ReadDocument = { ...document, path, value: undefined, positionOf: () => at, keyPositionOf: () => at }
  const entry = { query: text ?? '', should_trigger: shouldTrigger ?? true }
  return { entry, document: own, shared, common: own, skill, number, tags: [] }
}

// Vitest's tag expressions know words such as `and`, and blanks and brackets between them.
function toTag(label: string): string {
  const tag = label.trim().replaceAll(/[^\w./-]+/g, '-')
  return /^(?:and|or|not)$/i.test(tag) ? `${tag}-` : tag
}

/** Two cases of one name could not be told apart in a terminal. */
function withOwnNames(cases: readonly EvalCase[]): readonly EvalCase[] {
  const seen = new Map<string, number>()
  return cases.map((evalCase) => {
    const count = (seen.get(evalCase.name) ?? 0) + 1
    seen.set(evalCase.name, count)
    return count === 1 ? evalCase : { ...evalCase, name: `${evalCase.name} (${count})` }
  })
}

// Ids name folders, and some disks ignore case.
function findDuplicates(
  read: readonly EntryCase[],
  places: readonly EntryPlace[],
  document: ReadDocument,
): readonly Issue[] {
  const first = new Map<string, EvalCase>()
  return read.flatMap(({ evalCase }, index) => {
    if (evalCase === null) return []
    const key = evalCase.id.toLowerCase()
    const other = first.get(key)
    first.set(key, other ?? evalCase)
    if (other === undefined) return []
    const what = evalCase.trigger === undefined ? `the id ${JSON.stringify(evalCase.id)}` : 'this query'
    const message = `${what} is also at line ${other.at.line}; ${evalCase.trigger === undefined ? 'rename' : 'remove'} one`
    const path = [...(places[index]?.path ?? []), evalCase.trigger === undefined ? 'id' : 'query']
    return [{ ...errorAt(document, path, 'duplicate-name', message), ...evalCase.at }]
  })
}

function checkSkillName(
  { skill_name: name }: SharedFields,
  document: ReadDocument,
  { name: folder }: SkillUnderTest,
): readonly Issue[] {
  if (name === undefined || name === folder) return []
  const message = `is not the name of the skill that these evals were found for, ${JSON.stringify(folder)}; the folder counts`
  return [warningAt(document, ['skill_name'], 'name-differs', message)]
}
