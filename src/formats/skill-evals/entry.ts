import {
  documentAt,
  errorAt,
  noEffectAt,
  valueAt,
  warningAt,
  type Issue,
  type Position,
  type ReadDocument,
} from '../../lib/documents/document.ts'
import { suggestName } from '../../lib/documents/nearest-name.ts'
import { isJsonObject } from '../../lib/json.ts'
import { sha256 } from '../../lib/sha256.ts'
import { firstWords, oneLine } from '../../lib/text.ts'
import type { Criteria, EvalCase, KnownSkill, Statement, TriggerQuestion } from '../suite.ts'
import { commonPart, describeMistake, idOf, labelOf, readTurns, settingOf, type Turn } from './case-parts.ts'
import type { EntryPlace } from './container.ts'
import { isCheckType, readElements, type Element } from './elements.ts'
import { fieldsAs, readFields, unknownField, type Field } from './fields.ts'
import { readRouting, toChecks, toQuestion, type Routing } from './routing.ts'
import { findSkill, namesOf } from './skill-index.ts'
import type { SkillSuite } from './skill-suites.ts'
import { ROLES, TURN_FIELDS, roleOf, type Role, type SettledFields } from './vocabulary.ts'

/** Whose entries a file holds. */
export type EntryOwners = Omit<SkillSuite, 'notes'>

/** One entry of a file. */
interface EntryRequest {
  readonly place: EntryPlace
  /** From 1. */
  readonly number: number
  /** The file. */
  readonly document: ReadDocument
  /** What the file says for all its entries. */
  readonly shared: readonly Field[]
  readonly owners: EntryOwners
  readonly settled: SettledFields
}

/** What one entry became. */
export interface EntryCase {
  readonly evalCase: EvalCase | null
  readonly issues: readonly Issue[]
}

/** An entry whose fields were read. */
export interface Entry extends Omit<EntryRequest, 'document' | 'place'> {
  readonly fields: readonly Field[]
  readonly document: ReadDocument
  readonly file: ReadDocument
  readonly prompt: { readonly text: string; readonly at: Position; readonly isQuery: boolean } | null
  /** All messages of the user. */
  readonly turns: readonly Turn[]
  readonly subject: KnownSkill | null
  readonly routing: Routing | null
  /** What is wrong with it alone: it is listed, and errored. */
  readonly mistake: Issue | null
}

/** Makes an entry the case that it means, by its fields alone: an object, or a query as a bare text. */
export function readEntry(request: EntryRequest): EntryCase {
  const { place, document: file, settled, owners } = request
  const document = place.text === null ? documentAt(file, place.path) : textDocument(place, file)
  const read = place.text === null ? readFields(document, 'entry', settled) : TEXT
  if (read.issues.some(({ severity }) => severity === 'error')) return { evalCase: null, issues: read.issues }
  const { skill: owner, isShared = false, skills = [owner] } = owners
  const subject = readSubject(read.fields, document, skills)
  const ownSkill = subject.skill ?? (isShared ? null : owner)
  const list = place.shouldTrigger === null ? null : { name: String(place.path.at(-2)), value: place.shouldTrigger }
  const routed = readRouting({ fields: read.fields, document, subject: ownSkill, skills, list })
  const promptPart = readPrompt(read.fields, document, place)
  const found = [...read.issues, ...subject.issues, ...routed.issues, ...promptPart.issues]
  if (found.some(({ severity, skips }) => severity === 'error' && skips !== true))
    return { evalCase: null, issues: found }
  const about = ownSkill ?? routed.routing?.groups[0]?.skills[0] ?? routed.routing?.avoided[0]?.skills[0] ?? null
  const missing = promptPart.prompt === null ? missingPrompt(document) : null
  const mistake = routed.contradiction ?? missing
  const { prompt, turns } = promptPart
  const entry: Entry = {
    ...request,
    ...read,
    file,
    document,
    prompt,
    turns,
    subject: about,
    routing: routed.routing,
    mistake,
  }
  const made = readKind(entry, place.text !== null)
  return { ...made, issues: [...found, ...(mistake === null ? [] : [mistake]), ...made.issues] }
}

const TEXT = { fields: [], issues: [] }

function textDocument({ path }: EntryPlace, file: ReadDocument): ReadDocument {
  const at = file.positionOf(path)
  return { ...file, path, value: undefined, positionOf: () => at, keyPositionOf: () => at }
}

// The skill that an entry is about: the first where it names several.
function readSubject(
  fields: readonly Field[],
  document: ReadDocument,
  skills: readonly KnownSkill[],
): { readonly skill: KnownSkill | null; readonly issues: readonly Issue[] } {
  const written = fieldsAs(fields, 'subject')
  const [first, ...others] = written.flatMap(({ name, value }) =>
    [value as string | readonly string[]].flat().map((text) => ({ name, text })),
  )
  const empty = written.filter(({ value }) => Array.isArray(value) && value.length === 0)
  const issues = empty.map(({ name }) => noEffectAt(document, [name], 'is empty, so it has no effect'))
  if (first === undefined) return { skill: null, issues }
  const skill = findSkill(first.text, skills)
  if (skill === null) {
    const message = `there is no skill ${JSON.stringify(first.text)}.${suggestName(first.text, skills.flatMap(namesOf))}`
    return { skill, issues: [...issues, errorAt(document, [first.name], 'unknown-skill', message)] }
  }
  const message = `has no effect beyond ${JSON.stringify(first.text)}: a case is about one skill, and gets all that are installed`
  const more = new Set(others.filter(({ text }) => findSkill(text, skills) !== skill).map(({ name }) => name))
  return { skill, issues: [...issues, ...[...more].map((name) => noEffectAt(document, [name], message))] }
}

// Of several prompts the first is sent.
function readPrompt(
  fields: readonly Field[],
  document: ReadDocument,
  place: EntryPlace,
): Pick<Entry, 'prompt' | 'turns'> & { readonly issues: readonly Issue[] } {
  if (place.text !== null)
    return { prompt: { text: place.text, at: document.positionOf([]), isQuery: true }, turns: [], issues: [] }
  const [first, ...others] = fieldsAs(fields, 'ask')
  const unsent = others
    .filter(({ value }) => first !== undefined && value !== first.value)
    .map(({ name }) => noEffectAt(document, [name], `has no effect, because there is ${JSON.stringify(first?.name)}`))
  const prefix = fieldsAs(fields, 'prefix').map(({ value }) => String(value))
  const said = readTurns(first, fieldsAs(fields, 'turns'), document)
  const issues = [...unsent, ...said.issues]
  const [opening, ...following] = said.turns
  if (opening === undefined) return { prompt: null, turns: [], issues }
  const { at } = opening
  const text = [...prefix.filter((one) => one !== ''), opening.prompt].join('\n\n')
  const prompt = { text, at, isQuery: first?.role.isQuery === true }
  return { prompt, turns: [{ ...opening, prompt: text }, ...following], issues }
}

function missingPrompt(document: ReadDocument): Issue {
  const message = 'missing; expected a string, the prompt of the agent'
  return { ...errorAt(document, ['prompt'], 'missing-field', message), skips: true }
}

function readKind(entry: Entry, isText: boolean): EntryCase {
  const { fields, document, routing, mistake } = entry
  if (fieldsAs(fields, 'expect').length + fieldsAs(fields, 'context').length > 0) return readEval(entry)
  // A query is one message: a conversation is an eval whose skill is checked.
  if (entry.turns.length > 1) return readEval(entry)
  const question = routing === null ? null : toQuestion(routing)
  if (question !== null) return readQuery(entry, question)
  // What it asks for is not known; it is a case that fails.
  if (mistake?.code === 'contradiction') return readQuery(entry, NO_ANSWER)
  // Without an answer it asks which skill fires, and does not say which should.
  const isNamed = fieldsAs(fields, 'label').some(({ role }) => role.of === 'id') || fieldsAs(fields, 'skip').length > 0
  if (routing !== null || entry.prompt?.isQuery !== true || isNamed) return readEval(entry)
  const missing: Issue = isText
    ? { ...errorAt(document, [], 'missing-field', TEXT_ALONE), skips: true }
    : { ...errorAt(document, ['should_trigger'], 'missing-field', 'missing; expected true or false'), skips: true }
  const made = readQuery({ ...entry, mistake: missing }, NO_ANSWER)
  return { ...made, issues: [...made.issues, missing] }
}

const NO_ANSWER = { skill: null, shouldTrigger: false }
const TEXT_ALONE = 'is a text alone; write an object with "prompt", and "should_trigger" or "expectations"'

type Question = Pick<TriggerQuestion, 'accepts' | 'shouldTrigger' | 'skill'>

/** A prompt, and which skill it should make the agent use. */
function readQuery(entry: Entry, question: Question): EntryCase {
  const { document, number, prompt } = entry
  const query = prompt?.text ?? ''
  const [id, common] = [labelOf(entry, 'id'), commonPart(entry)]
  const [runs, threshold] = [settingOf(entry, 'runs', 'query'), settingOf(entry, 'threshold', 'query')]
  // The same query keeps its id wherever it is in the file.
  const hash = `t-${sha256(query.trim(), 8)}${question.shouldTrigger || question.skill !== null ? '' : '-none'}`
  const caseId = id.text ?? (prompt === null ? `eval-${number}` : hash)
  const titles = fieldsAs(entry.fields, 'label').filter(({ role }) => role.of === 'title')
  const evalCase: EvalCase = {
    id: caseId,
    name: oneLine(query) || caseId,
    checks: [],
    criteria: null,
    at: prompt?.at ?? document.positionOf([]),
    kind: 'trigger',
    trigger: { ...question, runs: runs.value, threshold: threshold.value },
    ...common.part,
  }
  const unnamed = titles.map(({ name }) =>
    noEffectAt(document, [name], 'has no effect: a trigger query is named by its prompt'),
  )
  return { evalCase, issues: [...common.issues, ...id.issues, ...unnamed, ...runs.issues, ...threshold.issues] }
}

/** A prompt, and what has to hold once it is done. */
function readEval(entry: Entry): EntryCase {
  const { fields, document, file, shared, routing, settled, prompt } = entry
  const ownParts = [
    ...readTurnFields(entry),
    ...fieldsAs(fields, 'expect').map(({ name, role }) => readExpected(documentAt(document, [name]), role, settled)),
    ...fieldsAs(fields, 'context').map(({ name }) => readContext(documentAt(document, [name]), settled)),
  ]
  const common = fieldsAs(shared, 'expect').map(({ name, role }) =>
    readExpected(documentAt(file, [name]), role, settled),
  )
  const elements = [...ownParts, ...common].flatMap((one) => one.elements)
  const checks = elements.flatMap((one) => one.checks ?? [])
  // An expectation that cannot be decided is a mistake of its case alone.
  const issues = ownParts.flatMap((one) => one.elements.flatMap((element) => element.issues ?? [])).map(ofCase)
  const ofFile = common.flatMap((one) => one.elements.flatMap((element) => element.issues ?? []))
  const toJudge = judged(
    elements,
    checks.some(({ turn }) => turn === undefined),
    ownParts.flatMap(({ context }) => context),
  )
  const mistake = issues.find(({ severity }) => severity === 'error')
  const [id, title, general] = [idOf(entry), labelOf(entry, 'title'), commonPart(entry)]
  const [runs, threshold] = [settingOf(entry, 'runs', 'eval'), settingOf(entry, 'threshold', 'eval')]
  // What is spread comes last: V8 adds a field to a spread object ten times as slowly.
  const evalCase: EvalCase = {
    kind: 'task',
    id: id.text,
    name: nameEval(entry, id.text, title.text),
    checks: [...(routing === null ? [] : toChecks(routing)), ...checks],
    criteria: toJudge.criteria,
    at: id.at ?? prompt?.at ?? document.positionOf([]),
    runs: runs.value,
    passThreshold: threshold.value,
    ...(mistake === undefined ? {} : { broken: describeMistake(mistake) }),
    ...general.part,
  }
  const isSilent = evalCase.criteria === null && evalCase.checks.length + issues.length + ofFile.length === 0
  const silence = isSilent && evalCase.skipped === undefined ? [noExpectations(document)] : []
  return {
    evalCase,
    issues: [id, general, title, { issues }, { issues: ofFile }, { issues: silence }, toJudge, runs, threshold].flatMap(
      (part) => part.issues,
    ),
  }
}

// A message that is an object may have expectations of its own, or say what a good answer to it is.
function readTurnFields({ turns, document, settled }: Entry): readonly Expected[] {
  return turns.flatMap(({ holder }, index): readonly Expected[] => {
    if (holder === null || turns.length < 2) return []
    const turn = index + 1
    const held = documentAt(document, holder)
    const turnFields = new Set<string>([TURN_FIELDS.role, ...TURN_FIELDS.text])
    const names = Object.keys(held.value as object).filter((name) => !turnFields.has(name))
    const read = readHeld(
      { ...held, value: Object.fromEntries(names.map((name) => [name, valueAt(held.value, name)])) },
      settled,
    )
    const isSilent = read.elements.every(({ statement, checks }) => statement === undefined && checks === undefined)
    const described = read.context.map(({ text, at, document: place }): Element => {
      if (isSilent) return { statement: { text, at, implied: true } }
      return { issues: [noEffectAt(place, [], 'has no effect: the turn has expectations')] }
    })
    const elements = [...read.elements, ...described].map(({ statement, checks, ...rest }): Element => ({
      ...rest,
      ...(statement === undefined ? {} : { statement: { ...statement, turn } }),
      ...(checks === undefined ? {} : { checks: checks.map((check) => ({ ...check, turn })) }),
    }))
    return [{ elements, context: [] }]
  })
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

function ofCase(issue: Issue): Issue {
  return issue.severity === 'error' ? { ...issue, skips: true } : issue
}

function noExpectations(document: ReadDocument): Issue {
  const message = 'no expectations, so no result can be right or wrong, so the eval is skipped'
  return warningAt(document, ['expectations'], 'no-expectations', message)
}

/** What a field expects, and what of it only describes a good result. */
interface Expected {
  readonly elements: readonly Element[]
  readonly context: readonly Described[]
}

/** A good result as a whole. */
interface Described extends Statement {
  readonly document: ReadDocument
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
    if (isCheckType(name))
      return {
        elements: readElements({ ...document, value: { [name]: value } }, ROLES.must, settled),
        context: [],
      }
    const describes = ROLES[roleOf(name, 'entry', settled) ?? 'ignore']
    const isDescription = describes.as === 'context' || (describes.as === 'label' && describes.of === 'description')
    if (isDescription && typeof value === 'string') return readContext(inner, settled)
    const isKnown = /^[$_]/.test(name) || roleOf(name, 'entry', settled) === 'ignore'
    return { elements: isKnown ? [] : [{ issues: [unknownField(document, name, value)] }], context: [] }
  })
  return { elements: found.flatMap(({ elements }) => elements), context: found.flatMap(({ context }) => context) }
}

type ExpectRole = Extract<Role, { readonly as: 'expect' }>

function expectRole(name: string, settled: SettledFields): ExpectRole | null {
  const roleName = roleOf(name, 'entry', settled)
  const role: Role | null = roleName === null ? null : ROLES[roleName]
  return role?.as === 'expect' ? role : null
}

interface Judged {
  readonly criteria: Criteria | null
  readonly issues: readonly Issue[]
}

/** What the judge is asked. The description of a good result is judged where nothing else is, and context where something is. */
function judged(elements: readonly Element[], isChecked: boolean, context: readonly Described[]): Judged {
  const all = elements.flatMap(({ statement }) => statement ?? [])
  const listed = all.filter(
    ({ text, turn }, index) => all.findIndex((other) => other.text === text && other.turn === turn) === index,
  )
  const [first] = context
  const isWhole = listed.some(({ turn }) => turn === undefined)
  if (listed.length === 0 && isChecked) {
    const message = 'has no effect: only checks are expected, so no judge is asked'
    return { criteria: null, issues: context.map(({ document }) => noEffectAt(document, [], message)) }
  }
  const implied = context.filter(({ document }) => document === first?.document)
  const statements = isWhole
    ? listed
    : [...listed, ...(isChecked ? [] : implied).map(({ text, at }): Statement => ({ text, at, implied: true }))]
  const [firstStatement] = statements
  if (firstStatement === undefined) return { criteria: null, issues: [] }
  const shown = (isWhole || isChecked ? context : context.filter((one) => !implied.includes(one))).map(
    ({ text }) => text,
  )
  const text = statements.map((statement) => `- ${statement.text}`).join('\n')
  return {
    criteria: { text, at: firstStatement.at, statements, ...(shown.length === 0 ? {} : { context: shown }) },
    issues: [],
  }
}
