import {
  documentAt,
  errorAt,
  isError,
  noEffectAt,
  ofCase,
  warningAt,
  type Issue,
  type Position,
  type ReadDocument,
} from '../../lib/documents/document.ts'
import { suggestName } from '../../lib/documents/nearest-name.ts'
import { isJsonObject } from '../../lib/json.ts'
import { sha256 } from '../../lib/sha256.ts'
import { firstWords, oneLine } from '../../lib/text.ts'
import { criteriaOf } from '../criteria.ts'
import type { Criteria, EvalCase, KnownSkill, Statement, TriggerQuestion } from '../suite.ts'
import { commonPart, describeMistake, takeLabel, takeSetting, type Entry } from './case-parts.ts'
import type { EntryPlace } from './container.ts'
import { readElements, type Element } from './elements.ts'
import { fieldsAs, noteUntaken, openFields, take, takeFirst, unknownField, type Fields } from './fields.ts'
import { takeRouting, toChecks, toQuestion } from './routing.ts'
import { findSkill } from './skill-index.ts'
import { checkNamed } from './typed-checks.ts'
import { ROLES, roleOf, type Role, type SettledFields } from './vocabulary.ts'
import { namesOf } from '../../packages/package-root.ts'

/** One entry of a file. */
interface EntryRequest extends Pick<Entry, 'number' | 'owners' | 'shared'> {
  readonly place: EntryPlace
  /** The file. */
  readonly document: ReadDocument
  readonly settled: SettledFields
}

/** What one entry became. */
export interface EntryCase {
  readonly evalCase: EvalCase
  readonly issues: readonly Issue[]
}

/**
 * Makes an entry the case that it means, by its fields alone: an object, or a query as a bare text. A mistake costs this
 * case only: it is listed, and errored.
 */
export function readEntry(request: EntryRequest): EntryCase {
  const { place, document: file, settled, owners } = request
  const fields = openFields(documentOf(place, file), 'entry', settled)
  const { issues } = fields
  const { skill: owner, isShared = false, skills = [owner] } = owners
  const ownSkill = takeSubject(fields, skills) ?? (isShared ? null : owner)
  const list = place.shouldTrigger === null ? null : { name: String(place.path.at(-2)), value: place.shouldTrigger }
  const routing = takeRouting({ fields, subject: ownSkill, skills, list })
  const subject = ownSkill ?? routing?.groups[0]?.skills[0] ?? routing?.avoided[0]?.skills[0] ?? null
  const prompt = takePrompt(fields)
  const entry: Entry = { ...request, fields, prompt, subject, routing }
  const question = expectsResult(fields) ? null : questionOf(entry)
  const evalCase = question === null ? readEval(entry) : readQuery(entry, question)
  const mistake = issues.find(isError)
  return {
    evalCase: mistake === undefined ? evalCase : { ...evalCase, broken: describeMistake(mistake) },
    issues: [...issues.map(ofCase), ...noteUntaken(fields)],
  }
}

function documentOf({ path, text }: EntryPlace, file: ReadDocument): ReadDocument {
  if (text === null) return documentAt(file, path)
  const at = file.positionOf(path)
  return { ...file, path, value: { query: text }, positionOf: () => at, keyPositionOf: () => at }
}

// The skill that an entry is about: the first where it names several. All that are installed are there.
function takeSubject(fields: Fields, skills: readonly KnownSkill[]): KnownSkill | null {
  const { document, issues } = fields
  const [first, ...others] = take(fields, 'subject').flatMap(({ name, value }) =>
    [value as string | readonly string[]].flat().map((text) => ({ name, text })),
  )
  if (first === undefined) return null
  const skill = findSkill(first.text, skills)
  const message = `there is no skill ${JSON.stringify(first.text)}.${suggestName(first.text, skills.flatMap(namesOf))}`
  if (skill === null) issues.push(errorAt(document, [first.name], 'unknown-skill', message))
  const more = skill === null ? [] : others.filter(({ text }) => findSkill(text, skills) !== skill)
  for (const name of new Set(more.map((one) => one.name)))
    issues.push(noEffectAt(document, [name], 'has no effect beyond its first skill'))
  return skill
}

// Of several prompts the first is sent.
function takePrompt(fields: Fields): Entry['prompt'] {
  const prompt = takeFirst(fields, 'ask')
  if (prompt === null) return null
  const prefix = take(fields, 'prefix').map(({ value }) => String(value))
  const text = [...prefix.filter((one) => one !== ''), String(prompt.value)].join('\n\n')
  return { text, at: fields.document.positionOf([prompt.name]), isQuery: prompt.role.isQuery === true }
}

function expectsResult(fields: Fields): boolean {
  return fieldsAs(fields, 'expect').length + fieldsAs(fields, 'context').length > 0
}

type Question = Pick<TriggerQuestion, 'accepts' | 'shouldTrigger' | 'skill'>

// Which skill an entry without expectations asks for; `null` where it is an eval. Says what is missing, if nothing else is wrong.
function questionOf({ fields, routing, prompt }: Entry): Question | null {
  const question = routing === null ? null : toQuestion(routing)
  if (question !== null) return question
  const isRouted = fieldsAs(fields, 'direction').length + fieldsAs(fields, 'route').length > 0
  const isUnclear = isRouted && fields.issues.some(isError)
  const isNamed = fieldsAs(fields, 'label', ({ of }) => of === 'id').length + fieldsAs(fields, 'skip').length > 0
  if (routing !== null || (!isUnclear && (prompt?.isQuery !== true || isNamed))) return null
  // It asks which skill is used, and does not say which should be.
  miss(fields, 'should_trigger', 'true or false')
  return { skill: null, shouldTrigger: false }
}

function miss({ document, issues }: Fields, field: string, what: string): void {
  if (!issues.some(isError)) issues.push(errorAt(document, [field], 'missing-field', `missing; expected ${what}`))
}

/** A prompt, and which skill it should make the agent use. */
function readQuery(entry: Entry, question: Question): EvalCase {
  const { fields, number, prompt } = entry
  if (prompt === null) miss(fields, 'query', "a string, the user's message")
  const query = prompt?.text ?? ''
  // The same query keeps its id wherever it is in the file.
  const hash = `t-${sha256(query.trim(), 8)}${question.shouldTrigger || question.skill !== null ? '' : '-none'}`
  const id = takeLabel(fields, 'id')?.text ?? (prompt === null ? `eval-${number}` : hash)
  const [runs, threshold] = [takeSetting(entry, 'runs', 'query'), takeSetting(entry, 'threshold', 'query')]
  return {
    id,
    name: oneLine(query) || id,
    checks: [],
    criteria: null,
    at: prompt?.at ?? fields.document.positionOf([]),
    kind: 'trigger',
    trigger: { ...question, runs, threshold },
    ...commonPart(entry),
  }
}

/** A prompt, and what has to hold once it is done. */
function readEval(entry: Entry): EvalCase {
  const { fields, shared, routing, prompt } = entry
  const { document, issues } = fields
  if (prompt === null) miss(fields, 'prompt', 'a string, the prompt of the agent')
  const [ownParts, common] = [fields, shared].map(takeExpected) as [readonly Expected[], readonly Expected[]]
  const elements = [...ownParts, ...common].flatMap((one) => one.elements)
  const checks = elements.flatMap((one) => one.checks ?? [])
  const context = ownParts.flatMap((one) => one.context)
  const criteria = judged(elements, checks.length > 0, context)
  if (criteria === null)
    issues.push(...context.map((one) => noEffectAt(one.document, [], 'has no effect: no judge is asked')))
  const id = takeId(entry)
  const title = takeLabel(fields, 'title')
  const evalCase: EvalCase = {
    kind: 'task',
    id: id.text,
    name: nameEval(entry, id.text, title?.text ?? null),
    checks: [...(routing === null ? [] : toChecks(routing)), ...checks],
    criteria,
    at: id.at ?? prompt?.at ?? document.positionOf([]),
    runs: takeSetting(entry, 'runs', 'eval'),
    passThreshold: takeSetting(entry, 'threshold', 'eval'),
    ...commonPart(entry),
  }
  const isSilent =
    criteria === null && evalCase.checks.length === 0 && elements.every((one) => one.issues === undefined)
  if (isSilent && evalCase.skipped === undefined && !issues.some(isError)) {
    const message = 'no expectations, so no result can be right or wrong, so the eval is skipped'
    issues.push(warningAt(document, ['expectations'], 'no-expectations', message))
  }
  return evalCase
}

/** The id of an eval; without one a name that may stand for it, else its number. */
function takeId({ fields, number }: Entry): { readonly text: string; readonly at: Position | null } {
  const { document, issues } = fields
  const id = takeLabel(fields, 'id')
  if (id !== null) return id
  const title = takeFirst(fields, 'label', ({ isId }) => isId === true)
  if (title !== null) return { text: oneLine(String(title.value)), at: document.positionOf([title.name]) }
  const message = "missing; the entry's number is its id until another is inserted before it. Add a stable id"
  issues.push({ ...warningAt(document, ['id'], 'missing-field', message), noEffect: true })
  return { text: `eval-${number}`, at: null }
}

// A number alone tells nobody what is asked, or which of many skills it is about.
function nameEval({ prompt, subject }: Entry, id: string, title: string | null): string {
  if (title !== null && title !== id) return oneLine(`${id} ${title}`)
  if (!NUMBERED.test(id)) return oneLine(id)
  const words = firstWords(prompt?.text ?? '', MOST_WORDS)
  const about = [...(subject === null ? [] : [subject.name]), ...(words === '' ? [] : [words])].join(': ')
  return oneLine(about === '' ? id : `${id} ${about}`)
}

// As people count, and as an eval without an id is called.
const NUMBERED = /^(?:(?:eval|case|test)[-_ ]?)?\d+$/i
/** In characters: a name is one line of a terminal. */
const MOST_WORDS = 60

/** What a field expects, and what of it only describes a good result. */
interface Expected {
  readonly elements: readonly Element[]
  readonly context: readonly Described[]
}

/** A good result as a whole. */
interface Described extends Statement {
  readonly document: ReadDocument
}

/** Takes all that an entry or a file expects. What cannot be decided is a mistake of the object that says it. */
function takeExpected(fields: Fields): readonly Expected[] {
  const { document, settled, issues } = fields
  const parts = [
    ...take(fields, 'expect').map(({ name, role }) => readExpected(documentAt(document, [name]), role, settled)),
    ...take(fields, 'context').map(({ name }) => readContext(documentAt(document, [name]), settled)),
  ]
  issues.push(...parts.flatMap((one) => one.elements.flatMap((element) => element.issues ?? [])))
  return parts
}

/** Reads a field that holds expectations. */
function readExpected(document: ReadDocument, role: ExpectRole, settled: SettledFields): Expected {
  const { value } = document
  const isHolder = isJsonObject(value) && Object.keys(value).some((name) => expectRole(name, settled) !== null)
  return isHolder ? readHeld(document, settled) : { elements: readElements(document, role, settled), context: [] }
}

/** Reads a good result: a text or several, or an object that holds what an entry holds. */
function readContext(document: ReadDocument, settled: SettledFields): Expected {
  const { value } = document
  if (isJsonObject(value)) return readHeld(document, settled)
  const texts = [value as string | readonly string[]].flat()
  const context = texts.flatMap((text, index): readonly Described[] => {
    const at = document.positionOf(Array.isArray(value) ? [index] : [])
    return text.trim() === '' ? [] : [{ text, at, document }]
  })
  return { elements: [], context }
}

function readHeld(document: ReadDocument, settled: SettledFields): Expected {
  const found = Object.entries(document.value as object).map(([name, value]: readonly [string, unknown]): Expected => {
    const inner = documentAt(document, [name])
    const role = expectRole(name, settled)
    if (role !== null) return { elements: readElements(inner, role, settled), context: [] }
    if (checkNamed(name) !== null)
      return {
        elements: readElements({ ...document, value: { [name]: value } }, ROLES.must, settled),
        context: [],
      }
    const other = roleOf(name, 'entry', settled)
    const isDescription = other?.as === 'context' || (other?.as === 'label' && other.of === 'description')
    if (isDescription && typeof value === 'string') return readContext(inner, settled)
    const isKnown = /^[$_]/.test(name) || other?.as === 'ignore'
    return { elements: isKnown ? [] : [{ issues: [unknownField(document, name)] }], context: [] }
  })
  return { elements: found.flatMap(({ elements }) => elements), context: found.flatMap(({ context }) => context) }
}

type ExpectRole = Extract<Role, { readonly as: 'expect' }>

function expectRole(name: string, settled: SettledFields): ExpectRole | null {
  const role = roleOf(name, 'entry', settled)
  return role?.as === 'expect' ? role : null
}

/** What the judge is asked. The description of a good result is judged where nothing else is, and context where something is. */
function judged(elements: readonly Element[], isChecked: boolean, context: readonly Described[]): Criteria | null {
  const all = elements.flatMap(({ statement }) => statement ?? [])
  const listed = all.filter(({ text }, index) => all.findIndex((other) => other.text === text) === index)
  const implied =
    listed.length > 0 || isChecked ? [] : context.filter(({ document }) => document === context[0]?.document)
  const asked = criteriaOf([...listed, ...implied.map(({ text, at }): Statement => ({ text, at, implied: true }))])
  const shown = context.filter((one) => !implied.includes(one)).map(({ text }) => text)
  return asked === null || shown.length === 0 ? asked : { ...asked, context: shown }
}
