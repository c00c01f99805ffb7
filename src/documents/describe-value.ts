/** Names a value's type in the words of an author of YAML: `a list`, not `array`. */
export function describeValue(value: unknown): string {
  if (value === null) return 'nothing (null)'
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'an object'
  if (typeof value === 'number' && Number.isNaN(value)) return 'NaN'
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) return 'infinity'
  return describeType(typeof value)
}

/** Names a type as zod calls it. */
export function describeType(type: string): string {
  return TYPE_NAMES.get(type) ?? `a ${type}`
}

const TYPE_NAMES: ReadonlyMap<string, string> = new Map([
  ['string', 'a string'],
  ['number', 'a number'],
  ['int', 'a whole number'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'an object'],
  ['record', 'an object'],
  ['null', 'nothing (null)'],
])
