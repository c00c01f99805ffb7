/** The path that a person most likely means by `wanted`; `null` when none is close. */
export function findNearestPath(wanted: string, paths: readonly string[]): string | null {
  const sameName = paths.find((path) => nameOf(path).toLowerCase() === nameOf(wanted).toLowerCase())
  if (sameName !== undefined) return sameName

  const limit = Math.max(2, Math.floor(wanted.length / 4))
  let nearest: { path: string; distance: number } | null = null
  for (const path of paths.slice(0, 1000)) {
    if (Math.abs(path.length - wanted.length) > limit) continue
    const distance = countEdits(wanted.toLowerCase(), path.toLowerCase())
    if (distance <= limit && distance < (nearest?.distance ?? Infinity)) nearest = { path, distance }
  }
  return nearest?.path ?? null
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

// Levenshtein's distance, one row at a time.
function countEdits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1)
      next.push(Math.min(substitution, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[to.length] ?? 0
}
