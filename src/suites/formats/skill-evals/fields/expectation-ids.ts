import { isJsonObject } from '../../../../json.ts'
import { noEffectAt, renamed, valueAt, type FieldPath, type ReadDocument } from '../../../../documents/document.ts'
import { COMMON_FIELDS } from '../shared-fields.ts'
import { ELEMENT_FIELDS } from './skill-fields.ts'
import { snakeCase } from './snake-case.ts'
import type { Issue } from '../../../../documents/issue.ts'

/** Expectations that a file lists once, for entries that refer to them by their ids. */
export interface ExpectationIds {
  readonly known: ReadonlyMap<string, unknown>
  /** Fields of the file that hold them. */
  readonly fields: ReadonlySet<string>
  readonly issues: readonly Issue[]
}

/** Finds what a file lists and its entries refer to. A list that no entry refers to has a meaning of its own. */
export function findExpectationIds(
  file: ReadDocument,
  entries: readonly { readonly path: FieldPath }[],
): ExpectationIds {
  const lists = Object.keys(isJsonObject(file.value) ? file.value : {}).flatMap((field) =>
    DEFINING.has(snakeCase(field)) ? [{ field, items: itemsOf(valueAt(file.value, field)) }] : [],
  )
  const ids = new Set(lists.flatMap(({ items }) => items.map(({ id }) => id)))
  if (ids.size === 0) return NONE
  const used = new Set(entries.flatMap(({ path }) => referencesOf(path.reduce(valueAt, file.value), ids)))
  const found = lists.filter(({ items }) => items.some(({ id }) => used.has(id)))
  return {
    known: new Map(found.flatMap(({ items }) => items.map(({ id, element }) => [id, element] as const))),
    fields: new Set(found.map(({ field }) => field)),
    issues: found.flatMap(({ field, items }) =>
      items
        .filter(({ id }) => !used.has(id))
        .map(({ key }) => noEffectAt(file, [field, key], 'has no effect: no entry refers to it')),
    ),
  }
}

const NONE: ExpectationIds = { known: new Map(), fields: new Set(), issues: [] }

/** An entry with the expectations that it refers to, and remarks on ids that lead nowhere. */
export function withReferred(
  document: ReadDocument,
  { known }: ExpectationIds,
): { readonly document: ReadDocument; readonly issues: readonly Issue[] } {
  const { value } = document
  if (!isJsonObject(value)) return { document, issues: [] }
  const own = new Map<string, unknown>(Object.entries(value))
  const names = new Map<PropertyKey, FieldPath>()
  const issues: Issue[] = []
  for (const [key, part] of Object.entries(value)) {
    if (REFERRING.has(snakeCase(key))) {
      const written = textsIn(part)
      const elements = written.flatMap((id) => (known.has(id) ? [known.get(id)] : []))
      const lost = written.filter((id) => !known.has(id)).map((id) => JSON.stringify(id))
      const free = LISTS.find((name) => !own.has(name)) ?? key
      own.delete(key)
      if (elements.length > 0) own.set(free, elements)
      if (elements.length > 0) names.set(free, [key])
      if (elements.length === 0 || lost.length > 0)
        issues.push(noEffectAt(document, [key], `has no effect: the file lists no expectation ${lost.join(', ')}`))
    } else if (ELEMENTS.has(key) && Array.isArray(part) && part.some((one) => known.has(String(one)))) {
      own.set(
        key,
        part.map((one: unknown) => known.get(String(one)) ?? one),
      )
    }
  }
  const isChanged = own.size < Object.keys(value).length || [...own].some(([key, part]) => valueAt(value, key) !== part)
  return { document: isChanged ? renamed(document, Object.fromEntries(own), names) : document, issues }
}

const LISTS = ['checks', 'assertions', 'criteria', 'expectations']
const ELEMENTS: ReadonlySet<string> = new Set(ELEMENT_FIELDS)
const DEFINING: ReadonlySet<string> = new Set([...ELEMENT_FIELDS, ...COMMON_FIELDS, 'rubrics'])
const REFERRING: ReadonlySet<string> = new Set([
  'assertion_ids',
  'check_ids',
  'criteria_ids',
  'criterion_ids',
  'expect_ids',
  'expectation_ids',
  'expected_ids',
  'rubric_ids',
])

function referencesOf(entry: unknown, ids: ReadonlySet<string>): readonly string[] {
  if (!isJsonObject(entry)) return []
  return Object.entries(entry).flatMap(([key, part]: readonly [string, unknown]) =>
    REFERRING.has(snakeCase(key)) || ELEMENTS.has(key) ? textsIn(part).filter((text) => ids.has(text)) : [],
  )
}

interface Item {
  readonly id: string
  readonly key: number | string
  readonly element: unknown
}

function itemsOf(value: unknown): readonly Item[] {
  if (Array.isArray(value))
    return value.flatMap((one: unknown, key): readonly Item[] => {
      const id = valueAt(one, 'id')
      if (typeof id !== 'string' && typeof id !== 'number') return []
      const { id: _id, ...element } = one as Readonly<Record<string, unknown>>
      return [{ id: String(id), key, element }]
    })
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([id, element]: readonly [string, unknown]): readonly Item[] =>
    typeof element === 'string' || isJsonObject(element) ? [{ id, key: id, element }] : [],
  )
}

function textsIn(value: unknown): readonly string[] {
  return [value].flat().filter((one) => typeof one === 'string')
}
