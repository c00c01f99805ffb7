import { readFileSync } from 'node:fs'
import { sha256 } from '../sha256.ts'

/**
 * The command that takes a limit on resident memory for each of two tags before it becomes the given one.
 *
 * Linux lets a process have such a limit and never looks at it. A started process inherits it, also in a session of
 * its own and with an environment that was emptied, and all may read it: so it marks what a session has started. Where
 * it cannot be set, and on other systems, the command goes without.
 */
export function withResidentLimits(
  tags: { readonly soft: string; readonly hard: string },
  file: string,
  args: readonly string[],
): { readonly file: string; readonly arguments: readonly string[] } {
  if (process.platform !== 'linux') return { file, arguments: args }
  const script = 'ulimit -Sm "$0" 2>/dev/null; ulimit -Hm "$1" 2>/dev/null; shift; exec "$@"'
  const limits = [limitOf(tags.soft), HIGHER + limitOf(tags.hard)].map(String)
  return { file: '/bin/sh', arguments: ['-c', script, ...limits, file, ...args] }
}

/** Whether a process has the limit of one of the tags. */
export function hasResidentLimit(pid: number, tags: readonly string[]): boolean {
  const [, soft, hard] = /^Max resident set +(\d+) +(\d+)/m.exec(readProc(pid, 'limits')) ?? []
  if (soft === undefined) return false
  const has = tags.some((tag) => {
    const limit = limitOf(tag)
    return soft === String(limit * KIBIBYTE) || hard === String((HIGHER + limit) * KIBIBYTE)
  })
  // A zombie keeps its limits, and can do nothing.
  return has && !/^\d+ \(.*\) [ZX] /s.test(readProc(pid, 'stat'))
}

function limitOf(tag: string): number {
  return LOWEST + Number.parseInt(sha256(tag, 9), 16)
}

function readProc(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1')
  } catch {
    return ''
  }
}

// Far above all memory that a machine has, in the unit that shells count in.
const LOWEST = 2 ** 40
const HIGHER = 2 ** 40
const KIBIBYTE = 1024
