import { nearestName } from '../documents/nearest-name.ts'

/** The path that a person most likely means by `wanted`; `null` when none is close. */
export function findNearestPath(wanted: string, paths: readonly string[]): string | null {
  const considered = paths.slice(0, 1000)
  const sameName = considered.find((path) => nameOf(path).toLowerCase() === nameOf(wanted).toLowerCase())
  return sameName ?? nearestName(wanted, considered)
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Whether a path is the one given, or is below it. */
export function isPathBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`)
}
