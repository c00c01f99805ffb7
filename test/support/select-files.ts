/**
 * Whether a test file can have a test that matches the expressions of `--tags-filter`. To know it for certain, Vitest
 * imports every file in a process of its own, which for the files left out takes a tenth of the test run.
 */
export function mayMatch(text: string, filters: readonly string[]): boolean {
  return filters.flatMap((filter) => filter.split('&&')).every((part) => allows(part.trim(), text))
}

function allows(part: string, text: string): boolean {
  const [, excluded] = /^!([\w-]+)$/.exec(part) ?? []
  // The tags of a module are those of all its tests.
  if (excluded !== undefined) return !text.includes(`@module-tag ${excluded}\n`)
  const [, wanted] = /^\(?([\w-]+(?:\s*\|\|\s*[\w-]+)*)\)?$/.exec(part) ?? []
  if (wanted === undefined) return true
  // A tag may come from a helper, such as describeOnMajors, which has the tag in its name.
  const lower = text.toLowerCase()
  return wanted.split('||').some((tag) => lower.includes(tag.trim()))
}
