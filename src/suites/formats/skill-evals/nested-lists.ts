import { isJsonObject } from '../../../json.ts'
import { valueAt, type FieldPath } from '../../../documents/document.ts'
import { CONTAINERS, RETIRED_LISTS } from './fields/list-names.ts'
import type { EntryList } from './skill-lists.ts'

/** The lists of entries one level down: `{ "behavior": { "cases": [...] } }`, `{ "groups": [{ "cases": [...] }] }`. */
export function nestedLists(value: object, holdsEntries: (list: unknown) => boolean): readonly EntryList[] {
  const fields = Object.entries(value).filter(([name]) => !name.startsWith('_') && !RETIRED_LISTS.test(name))
  return fields.flatMap(([name, own]: readonly [string, unknown]) =>
    Array.isArray(own)
      ? own.flatMap((group: unknown, index) => listsIn(group, [name, index], holdsEntries))
      : listsIn(own, [name], holdsEntries),
  )
}

function listsIn(group: unknown, path: FieldPath, holdsEntries: (list: unknown) => boolean): readonly EntryList[] {
  if (!isJsonObject(group)) return []
  const named = ['skill', 'skill_name'].map((field) => valueAt(group, field)).find((one) => typeof one === 'string')
  const skill = typeof named === 'string' ? named : null
  return CONTAINERS.filter((field) => holdsEntries(valueAt(group, field))).map((field): EntryList => {
    return { path: [...path, field], list: valueAt(group, field), shouldTrigger: null, skill }
  })
}
