/** What to write instead of a value of a wrong type, as the end of a message; empty where that is plain. */
export function hintOnType(expected: readonly string[], value: unknown): string {
  const wants = (...types: readonly string[]): boolean => types.some((type) => expected.includes(type))
  if (value === null) return '; give it a value, or remove it'
  if (wants('string') && (typeof value === 'number' || typeof value === 'boolean')) return '; put it in quotes'
  if (wants('array') && (typeof value === 'string' || typeof value === 'number')) return `; write ${asList(value)}`
  if (wants('boolean')) return adviseOnBoolean(value)
  if (wants('number', 'int') && typeof value === 'string') return adviseOnNumber(value)
  return ''
}

/** What to write instead of a text where one of these values has to stand. */
export function hintOnLiteral(values: readonly unknown[], value: unknown): string {
  return typeof value === 'string' && values.some((one) => typeof one !== 'string' && String(one) === value)
    ? '; remove the quotes'
    : ''
}

function asList(value: number | string): string {
  const item = JSON.stringify(String(value))
  return item.length > 60 || item.includes('\\') ? 'it as an item of a list' : `a list: [${item}]`
}

function adviseOnBoolean(value: unknown): string {
  const word = String(value).trim().toLowerCase()
  if (['true', 'yes', 'on', 'y', '1'].includes(word)) return '; write true'
  return ['false', 'no', 'off', 'n', '0'].includes(word) ? '; write false' : ''
}

function adviseOnNumber(value: string): string {
  const text = value.trim()
  if (/^-?\d+(?:\.\d+)?$/.test(text)) return '; remove the quotes'
  return /^-?\d+(?:\.\d+)?\s*[a-z%]+$/i.test(text) ? '; write the number alone' : ''
}
