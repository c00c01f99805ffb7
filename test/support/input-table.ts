/** Cases of a report that list their inputs themselves, as a report has them: with keys of its one table of inputs. */
export function withInputTable(cases: readonly object[]): {
  readonly cases: readonly object[]
  readonly inputs: object
} {
  const table = new Map<string, unknown>()
  const keyed = cases.map((one) => {
    const { hashes, ...rest } = one as { readonly hashes?: readonly unknown[] }
    if (hashes === undefined) return one
    const keys = hashes.map((input) => {
      const key = JSON.stringify(input)
      table.set(key, input)
      return key
    })
    return { ...rest, inputs: keys }
  })
  return { cases: keyed, inputs: Object.fromEntries(table) }
}
