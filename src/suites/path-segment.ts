import { sha256 } from '../sha256.ts'

/** A name as one segment of a path. One that had to be changed gets a hash, so that two names never share a segment. */
export function toPathSegment(name: string): string {
  if (/^[\w@][\w.@-]{0,79}$/.test(name)) return name
  const safe = name
    .replaceAll(/[^\w.@-]+/g, '-')
    .replace(/^[.-]+/, '')
    .slice(0, 80)
  return `${safe}-${sha256(name, 6)}`
}
