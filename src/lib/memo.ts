/** Keeps what is made of an object under a name, as long as there is the object. */
export function createMemo<Made>(): (of: object, name: string, make: () => Made) => Made {
  const kept = new WeakMap<object, Map<string, Made>>()
  return (of, name, make) => {
    const byName = kept.get(of) ?? new Map<string, Made>()
    kept.set(of, byName)
    const made = byName.get(name) ?? make()
    byName.set(name, made)
    return made
  }
}
