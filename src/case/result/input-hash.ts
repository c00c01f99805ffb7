import type { Input } from '../../inputs/input.ts'
import type { InputHash } from '../../results/result.ts'

/** An input as results hold it: without its place on this machine. */
export function toHash({ path, role, hash, base }: Input): InputHash {
  return { path, role, hash, ...(base === undefined ? {} : { base }) }
}
