import { documentAt, type ReadDocument } from '../../../documents/document.ts'
import { countedFacts } from './fields/facts.ts'
import { expects } from './fields/expectations.ts'
import { expectsByWords, knownPart, labelsOf } from './fields/known-part.ts'
import { labelledDirection } from './fields/direction-words.ts'
import { readEntryFiles } from './fields/entry-files.ts'
import { readProse } from './prose.ts'
import { readTurns } from './turns.ts'
import { routeEntry, type EntryRequest, type ValidEntry } from './route-entry.ts'
import { routes } from './routing/routing.ts'
import { validateEntry, type SkillEntry } from './skill-entry.ts'
import { withReadNames } from './fields/written-entry.ts'
import { withReferred, type ExpectationIds } from './fields/expectation-ids.ts'
import { withNoSkill, withRoute } from './routing/skill-routes.ts'
import type { EntryCase } from './entry-case.ts'
import type { EntryPlace } from './skill-container.ts'
import type { Issue } from '../../../documents/issue.ts'

/** An entry to read, and the expectations of the file that it may refer to. */
export interface EntryToRead extends EntryRequest {
  readonly ids: ExpectationIds
}

/** Reads an entry in any of its dialects: an object, or a query as a bare text. */
export function readEntry(request: EntryToRead): EntryCase {
  const { place, document } = request
  if (place.text !== null) return routeEntry(request, bareQuery(place, document))
  const { written, issues } = readObject(request)
  if (written === null) return { evalCase: null, issues }
  const made = routeEntry(request, written)
  return { ...made, issues: [...issues, ...made.issues] }
}

interface ReadObject {
  /** `null`: it has mistakes by which it is no entry. */
  readonly written: ValidEntry | null
  readonly issues: readonly Issue[]
}

function sourceOf({ path, asksForSkill, listsSkills }: EntryPlace, document: ReadDocument): ReadDocument {
  if (asksForSkill) return withRoute(document, path)
  return listsSkills ? withNoSkill(document, path) : documentAt(document, path)
}

// Each step takes what it reads, and leaves an entry with the rest to the next one.
function readObject({ place, document, ids }: EntryToRead): ReadObject {
  const source = sourceOf(place, document)
  const referred = withReferred(source, ids)
  const named = withReadNames(referred.document)
  const brought = readEntryFiles(named.document)
  const prose = readProse(brought.document)
  const turns = readTurns(prose.document)
  const rest = turns?.document ?? prose.document
  const raw = rest.value as SkillEntry
  const labelled = place.shouldTrigger === null ? labelledDirection(raw) : null
  const isRouted = place.shouldTrigger !== null || labelled !== null || routes(raw)
  // Where a result is expected as well, `expected_…` is about it.
  const isBareRoute = isRouted && !expects(raw) && !expectsByWords(raw)
  const facts = countedFacts(named.facts, isBareRoute)
  const isOnlyRouted = isBareRoute && facts.facts.length === 0
  // A query alone may explain itself by them.
  const around = isOnlyRouted ? new Set<string>() : prose.fields
  const read = new Set([...around, ...(turns?.fields ?? []), ...(labelled === null ? [] : [labelled.field])])
  const known = knownPart(rest, read, isOnlyRouted)
  const { value, issues: mistakes } = validateEntry(known.document)
  const steps = [referred, named, brought, prose, facts, ...(turns === null ? [] : [turns]), known]
  const issues = [...steps.flatMap((step) => step.issues), ...mistakes]
  if (value === null) return { written: null, issues }
  const entry: SkillEntry = {
    ...value,
    ...(labelled === null ? {} : { should_trigger: labelled.value }),
    ...(known.worded.length === 0 ? {} : { worded: known.worded }),
    ...(facts.facts.length === 0 ? {} : { facts: facts.facts }),
    ...(turns === null ? {} : { turns }),
    ...(around.size === 0 ? {} : { around: prose }),
    ...(brought.document === named.document ? {} : { brought }),
  }
  return { written: { entry, document: known.document, tags: tagsOf(raw, entry) }, issues }
}

function bareQuery({ path, text }: EntryPlace, document: ReadDocument): ValidEntry {
  const at = document.positionOf(path)
  const own: ReadDocument = { ...document, path, value: undefined, positionOf: () => at, keyPositionOf: () => at }
  return { entry: { query: text ?? '' }, document: own, tags: [] }
}

function tagsOf(raw: unknown, { tags = [] }: SkillEntry): readonly string[] {
  return [...labelsOf(raw), ...[tags].flat()].map(toTag).filter((tag) => tag !== '')
}

// Vitest's tag expressions know words such as `and`, and blanks and brackets between them.
function toTag(label: string): string {
  const tag = label.trim().replaceAll(/[^\w./-]+/g, '-')
  return /^(?:and|or|not)$/i.test(tag) ? `${tag}-` : tag
}
