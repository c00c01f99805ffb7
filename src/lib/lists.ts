/** Groups items by a key, in the order in which the keys come first. */
export function groupBy<Key, Item>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}

/** The numbers from 1 to this one. */
export function countTo(last: number): readonly number[] {
  return Array.from({ length: last }, (_, index) => index + 1)
}

/** The first items; where there are more, `and N more` comes last. */
export function firstOf(items: readonly string[], most: number): readonly string[] {
  return items.length > most ? [...items.slice(0, most), `and ${items.length - most} more`] : items
}

/** The first items as a part of a sentence: `a, b and 3 more`. */
export function firstInSentence(items: readonly string[], most: number, separator = ', '): string {
  const shown = items.slice(0, most).join(separator)
  return items.length > most ? `${shown} and ${items.length - most} more` : shown
}

/** The sum of numbers. */
export function sum(values: Iterable<number>): number {
  return sumOf(values, (value) => value)
}

/** The sum of what each item counts. */
export function sumOf<Item>(items: Iterable<Item>, count: (item: Item) => number): number {
  let total = 0
  for (const item of items) total += count(item)
  return total
}

/** What each item comes to, in order. In portions: each may open a file, and a process may not open thousands at once. */
export async function mapInPortions<Item, Result>(
  items: readonly Item[],
  map: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = []
  for (let start = 0; start < items.length; start += PORTION) {
    results.push(...(await Promise.all(items.slice(start, start + PORTION).map(map))))
  }
  return results
}

const PORTION = 64
