import { errorAt, type ReadDocument } from '../../../documents/document.ts'
import { underTest } from '../../skills/known-skills.ts'
import { commonLists, type SharedFields } from './shared-fields.ts'
import { DISABLED_FIELDS } from './fields/skill-fields.ts'
import { expects } from './fields/expectations.ts'
import { missingPrompt } from './entry-parts.ts'
import { readRouting, routes, type ReadRouting } from './routing/routing.ts'
import { readSkillEval } from './read-skill-eval.ts'
import { readTrigger } from './read-trigger.ts'
import { subjectOf } from './entry-subject.ts'
import { toQuestion } from './routing/routed-expectations.ts'
import { withSkillsApart, withWrittenNames } from './routing/skill-or-sentence.ts'
import type { EntryCase, ReadEntry } from './entry-case.ts'
import type { Direction } from './routing/routing-fields.ts'
import type { EntryPlace } from './skill-container.ts'
import type { Issue } from '../../../documents/issue.ts'
import type { KnownSkill, SkillUnderTest } from '../../suite.ts'
import type { SkillEntry } from './skill-entry.ts'

/** Whose entries a file holds. */
export interface EntryOwners {
  /** The skill that owns the file; where its entries name their own, a substitute for cases without one. */
  readonly skill: SkillUnderTest
  /** Whether no skill owns the file. */
  readonly isShared?: boolean
  /** Every skill that an entry may name. Default: the one. */
  readonly skills?: readonly KnownSkill[]
}

/** One entry of a file. */
export interface EntryRequest {
  readonly place: EntryPlace
  /** From 1. */
  readonly number: number
  /** The file. */
  readonly document: ReadDocument
  readonly shared: SharedFields
  readonly owners: EntryOwners
}

/** An entry under the names that are read, without what has no effect. */
export interface ValidEntry extends Pick<ReadEntry, 'document' | 'entry' | 'tags'> {}

/** Makes an entry the case that it means, by the skills that it names. */
export function routeEntry(
  { place, number, document: file, shared, owners }: EntryRequest,
  { entry: written, document: source, tags }: ValidEntry,
): EntryCase {
  const { skill: owner, isShared = false, skills = [owner] } = owners
  const entry = withSkillsApart(written, skills)
  const document = withWrittenNames(source, written, entry)
  const named = subjectOf({ entry, document }, file, place, skills)
  if (hasError(named.issues)) return { evalCase: null, issues: named.issues }
  const own = named.skill ?? (isShared ? null : owner)
  const routed = readRouting({ entry, document, subject: own, skills, list: directionOfList(place, own, entry) })
  const mistake = routed.contradiction ?? missingPrompt({ entry, document })
  const issues = [...named.issues, ...routed.issues]
  if (hasError(issues)) return { evalCase: null, issues }
  const about = own ?? firstNamed(routed)
  const read: ReadEntry = {
    entry,
    document,
    shared,
    owner,
    // Fixtures and overlays are those of the file, whichever skill the entry is about.
    subject: about === null ? null : underTest(about, owner.evalsDir),
    number,
    tags,
    routing: routed.routing,
    prose: routed.prose,
    mistake,
    common: commonLists(shared, file),
  }
  const made = readKind(read, place.text !== null)
  return { ...made, issues: [...issues, ...(mistake === null ? [] : [mistake]), ...made.issues] }
}

function hasError(issues: readonly Issue[]): boolean {
  return issues.some(({ severity }) => severity === 'error')
}

// Of no skill, a list of good and bad examples that expect something says nothing of the use of one.
function directionOfList(
  { path, shouldTrigger }: EntryPlace,
  subject: KnownSkill | null,
  entry: SkillEntry,
): Direction | null {
  const field = String(path.at(-2))
  const isOfExamples = subject === null && expects(entry) && /^(?:positive|negative)/.test(field)
  return shouldTrigger === null || isOfExamples ? null : { field, value: shouldTrigger }
}

function readKind(read: ReadEntry, isText: boolean): EntryCase {
  const { entry, document, routing, prose } = read
  if (expects(entry)) return readSkillEval(read)
  const question = routing === null ? null : toQuestion(routing)
  if (question !== null) return readTrigger(read, question)
  // What it asks for is not known; it is a case that fails.
  if (read.mistake?.code === 'contradiction') return readTrigger(read, NO_ANSWER)
  // Without an answer it asks which skill fires, and does not say which should.
  const isQuestion = routing === null && prose === null && !routes(entry)
  if (!isQuestion || !isBareQuery(entry)) return readSkillEval(read)
  const mistake: Issue = isText
    ? { ...errorAt(document, [], 'missing-field', TEXT_ALONE), skips: true }
    : { ...errorAt(document, ['should_trigger'], 'missing-field', 'missing; expected true or false'), skips: true }
  const made = readTrigger({ ...read, mistake }, NO_ANSWER)
  return { ...made, issues: [...made.issues, mistake] }
}

const NO_ANSWER = { skill: null, shouldTrigger: false }
const TEXT_ALONE = 'is a text alone; write an object with "prompt", and "should_trigger" or "expectations"'

// A query that neither expects anything nor has an id is a trigger query that does not say what it expects.
function isBareQuery(entry: SkillEntry): boolean {
  const isNamed = entry.id !== undefined || entry.eval_id !== undefined || entry.slug !== undefined
  return entry.query !== undefined && !isNamed && DISABLED_FIELDS.every((field) => entry[field] === undefined)
}

function firstNamed({ routing }: ReadRouting): KnownSkill | null {
  return routing?.groups[0]?.skills[0] ?? routing?.avoided[0]?.skills[0] ?? null
}
