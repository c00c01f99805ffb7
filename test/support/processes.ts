import { readdirSync, readFileSync } from 'node:fs'

/** Ids of the processes whose command line holds the text. */
export function processesWith(text: string): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text)
    } catch {
      return false
    }
  })
}
