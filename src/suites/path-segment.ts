import { createHash } from 'node:crypto'

/** A name as one segment of a path. One that had to be changed gets a hash, so that two names never share a segment. */
export function toPathSegment(name: string): string {
  const safe = name
    .replaceAll(/[^\w.@-]+/g, '-')
    .replace(/^[.-]+/, '')
    .slice(0, 80)
  if (safe === name && safe !== '') return safe
  return `${safe}-${createHash('sha256').update(name).digest('hex').slice(0, 6)}`
}
