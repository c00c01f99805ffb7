/**
 * Matches a path as `file_exists` does: `*` is anything in one folder, `**` anything, `?` one character. Brackets and
 * braces have no meaning, and no folder is left out. The time does not depend on how often `*` is there.
 */
export function matchesGlob(glob: string, path: string): boolean {
  const parts = glob.match(PART) ?? []
  // Each of these takes one character.
  if (parts.filter((part) => !part.startsWith('*')).length > path.length) return false
  let states = new Set([0])
  for (let at = 0; at < path.length && states.size > 0; at += 1) {
    const character = path.charAt(at)
    states = new Set([...skipStars(states, parts)].flatMap((state) => step(state, parts, character)))
  }
  return skipStars(states, parts).has(parts.length)
}

const PART = /\*\*\/|\*\*|[^]/g

// A state is the index of the next part. A half more is inside of what `**/` matches.
function step(state: number, parts: readonly string[], character: string): readonly number[] {
  const next = Math.floor(state) + 1
  const part = parts[next - 1]
  if (part === '**/') return character === '/' ? [next - 0.5, next] : [next - 0.5]
  if (part === '**') return [next - 1]
  if (part === '*') return character === '/' ? [] : [next - 1]
  return part === '?' || part === character ? [next] : []
}

function skipStars(states: ReadonlySet<number>, parts: readonly string[]): ReadonlySet<number> {
  const all = new Set(states)
  for (const state of all) if (Number.isInteger(state) && parts[state]?.startsWith('*') === true) all.add(state + 1)
  return all
}
