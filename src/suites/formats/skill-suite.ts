import { documentAt, errorAt, noEffectAt, type ReadDocument } from '../../documents/document.ts'
import { readDocument } from '../../documents/read-document.ts'
import { AAM_DEFAULTS } from './aam-defaults.ts'
import { readContainer, type EntryPlace } from './skill-container.ts'
import { readSkillEval } from './skill-evals.ts'
import { validateEntry, type SkillEntry } from './skill-entry.ts'
import { knownPart, labelsOf } from './known-part.ts'
import { withReadNames } from './written-entry.ts'
import { readTurns } from './turns.ts'
import { expects } from './expectations.ts'
import { DISABLED_FIELDS } from './skill-fields.ts'
import { unusedShared, type SharedFields } from './shared-fields.ts'
import { labelledDirection } from './direction-words.ts'
import { withSkillsApart } from './skill-or-sentence.ts'
import { withRoute } from './skill-routes.ts'
import { toQuestion } from './routed-expectations.ts'
import { readRouting, routes, type ReadRouting } from './routing.ts'
import { readTrigger } from './triggers.ts'
import { subjectOf } from './entry-subject.ts'
import { findSkill } from '../known-skills.ts'
import type { Issue } from '../../documents/issue.ts'
import type { EntryCase, ReadEntry } from './read-entry.ts'
import type { EvalCase, KnownSkill, SkillUnderTest, Suite } from '../suite.ts'

/** What a suite file's text is read with. */
export interface ParseSkillSuiteOptions {
  /** Absolute path of the suite file. */
  readonly file: string
  /** Absolute path of the package. */
  readonly packageRoot: string
  /** The skill that owns the file; where its entries name their own, a substitute for cases without one. */
  readonly skill: SkillUnderTest
  /** Whether no skill owns the file. */
  readonly isShared?: boolean
  /** Every skill that an entry may name. Default: the one. */
  readonly skills?: readonly KnownSkill[]
}

/**
 * Reads an `evals.json` or a `triggers.json`, whichever of their dialects it is in; one file may hold both kinds. Pure:
 * whether its files exist is not looked at.
 */
export function parseSkillSuite(text: string, options: ParseSkillSuiteOptions): Suite {
  const document = readDocument(text, { kind: 'json', file: options.file, what: 'eval' })
  const container = readContainer(document)
  const read = container.entries.map((place, index) =>
    readEntry({ place, number: index + 1, document, shared: container.shared, options }),
  )
  const cases = read.flatMap(({ evalCase }) => evalCase ?? [])
  const queries = cases.filter(({ trigger }) => trigger !== undefined).length
  const has = { evals: queries < cases.length, queries: queries > 0 }
  return {
    format: has.queries && !has.evals ? 'triggers' : 'skill-evals',
    file: options.file,
    packageRoot: options.packageRoot,
    config: AAM_DEFAULTS,
    skill: options.skill,
    partDir: options.file,
    cases: withOwnNames(cases),
    issues: [
      ...container.issues,
      ...unusedShared(document, container.shared, has),
      ...once(read.flatMap(({ issues }) => issues)),
      ...findDuplicates(read, container.entries, document),
      ...checkSkillName(container.shared, document, options),
    ],
  }
}

// What all entries share is read with each of them.
function once(issues: readonly Issue[]): readonly Issue[] {
  return [...new Map(issues.map((issue) => [JSON.stringify(issue), issue])).values()]
}

interface EntryRequest {
  readonly place: EntryPlace
  readonly number: number
  readonly document: ReadDocument
  readonly shared: SharedFields
  readonly options: ParseSkillSuiteOptions
}

function readEntry(request: EntryRequest): EntryCase {
  const { place, document } = request
  if (place.text !== null) return readRouted(request, bareQuery(place, document), [])
  const source = place.asksForSkill ? withRoute(document, place.path) : documentAt(document, place.path)
  const written = withReadNames(source)
  const turns = readTurns(written.document)
  const { value: raw } = turns?.document ?? written.document
  const labelled = place.shouldTrigger === null ? labelledDirection(raw) : null
  const isRouted = place.shouldTrigger !== null || labelled !== null || routes(raw as SkillEntry)
  const read = new Set([...(turns?.fields ?? []), ...(labelled === null ? [] : [labelled.field])])
  const known = knownPart(turns?.document ?? written.document, read, isRouted)
  const { value, issues: mistakes } = validateEntry(known.document)
  const issues = [...written.issues, ...(turns?.issues ?? []), ...known.issues, ...mistakes]
  if (value === null) return { evalCase: null, issues }
  const own: SkillEntry = {
    ...value,
    ...(labelled === null ? {} : { should_trigger: labelled.value }),
    ...(known.worded.length === 0 ? {} : { worded: known.worded }),
    ...(turns === null ? {} : { turns }),
  }
  const labels = labelsOf(raw)
  const ownTags = own.tags === undefined ? [] : [own.tags].flat()
  const tags = [...labels, ...ownTags].map(toTag).filter((tag) => tag !== '')
  const made = readRouted(request, { entry: own, document: known.document }, tags)
  return { ...made, issues: [...issues, ...made.issues] }
}

type Validated = Pick<ReadEntry, 'document' | 'entry'>

function readRouted(
  { place, number, document: file, shared, options }: EntryRequest,
  { entry: written, document }: Validated,
  tags: readonly string[],
): EntryCase {
  const { skill: owner, isShared = false, skills = [owner] } = options
  const entry = withSkillsApart(written, skills)
  const named = subjectOf({ entry, document }, file, place, skills)
  if (named.skill === null && named.issues.length > 0) return { evalCase: null, issues: named.issues }
  const own = named.skill ?? (isShared ? null : owner)
  const list = place.shouldTrigger === null ? null : { field: String(place.path.at(-2)), value: place.shouldTrigger }
  const routed = readRouting({ entry, document, subject: own, skills, list })
  const issues = [...named.issues, ...routed.issues]
  if (issues.some(({ severity }) => severity === 'error')) return { evalCase: null, issues }
  const about = own ?? firstNamed(routed)
  const subject = about === null ? null : underTest(about, owner)
  const read: ReadEntry = {
    entry,
    document,
    shared,
    owner,
    subject,
    number,
    tags,
    routing: routed.routing,
    prose: routed.prose,
    contradiction: routed.contradiction,
    common: place.text === null ? documentAt(file, ['common_assertions']) : document,
  }
  const found = routed.contradiction === null ? issues : [...issues, routed.contradiction]
  const made = readKind(read)
  return { ...made, issues: [...found, ...made.issues] }
}

function readKind(read: ReadEntry): EntryCase {
  const { entry, document, routing, prose } = read
  if (expects(entry)) return readSkillEval(read)
  const question = routing === null ? null : toQuestion(routing)
  if (question !== null) return readTrigger(read, question)
  // What it asks for is not known; it is a case that fails.
  if (read.contradiction !== null) return readTrigger(read, { skill: null, shouldTrigger: false })
  // Without an answer it asks which skill fires, and does not say which should.
  const isQuestion = routing === null && prose === null && !routes(entry)
  if (!isQuestion || !isBareQuery(entry)) return readSkillEval(read)
  const issue = errorAt(document, ['should_trigger'], 'missing-field', 'missing; expected true or false')
  return { evalCase: null, issues: [issue] }
}

// A query that neither expects anything nor has an id is a trigger query that does not say what it expects.
function isBareQuery(entry: SkillEntry): boolean {
  const isNamed = entry.id !== undefined || entry.eval_id !== undefined || entry.slug !== undefined
  return entry.query !== undefined && !isNamed && DISABLED_FIELDS.every((field) => entry[field] === undefined)
}

function firstNamed({ routing }: ReadRouting): KnownSkill | null {
  return routing?.groups[0]?.skills[0] ?? routing?.avoided[0]?.skills[0] ?? null
}

// Fixtures and overlays are those of the file, whichever skill the entry is about.
function underTest(skill: KnownSkill, owner: SkillUnderTest): SkillUnderTest {
  const { name, alias, dir, projectRoot } = skill
  return { name, ...(alias === undefined ? {} : { alias }), dir, projectRoot, evalsDir: owner.evalsDir }
}

function bareQuery({ path, text }: EntryPlace, document: ReadDocument): Validated {
  const at = document.positionOf(path)
  const own: ReadDocument = { ...document, path, value: undefined, positionOf: () => at, keyPositionOf: () => at }
  return { entry: { query: text ?? '' }, document: own }
}

// Vitest's tag expressions know words such as `and`, and blanks and brackets between them.
function toTag(label: string): string {
  const tag = label.trim().replaceAll(/[^\w./-]+/g, '-')
  return /^(?:and|or|not)$/i.test(tag) ? `${tag}-` : tag
}

/** Two cases of one name would look alike in a terminal. */
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

// The skill may be named; a name that is no skill's, or another one's, is worth a remark.
function checkSkillName(
  shared: SharedFields,
  document: ReadDocument,
  { skill, isShared = false, skills = [skill] }: ParseSkillSuiteOptions,
): readonly Issue[] {
  return (['skill_name', 'skillName', 'skill', 'skills'] as const).flatMap((field) => {
    const [name, ...others] = [shared[field] ?? []].flat()
    if (name === undefined || (others.length === 0 && !isShared && findSkill(name, [skill]) !== null)) return []
    const found = findSkill(name, skills)
    const what =
      found === null ? `there is no skill ${JSON.stringify(name)}` : `${JSON.stringify(name)} is another skill`
    const counts = isShared ? 'each entry names its own' : `the file is about ${JSON.stringify(skill.name)}`
    return [noEffectAt(document, [field], `has no effect: ${what}; ${counts}`)]
  })
}
