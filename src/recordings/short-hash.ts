/** As much of a hash as tells contents apart, so that a list of files stays readable. */
export function shortHash(hash: string): string {
  return hash.slice(0, 16)
}
