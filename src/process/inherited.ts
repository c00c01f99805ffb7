import { readdirSync, readFileSync } from 'node:fs'

/**
 * Descriptors above stderr that a child of this process would inherit: our own parent left them open.
 *
 * One of them may be a folder of the host, through which a confined child could walk out.
 */
export function inheritedDescriptors(): readonly number[] {
  found ??= findInherited()
  return found
}

// Node marks all that it opens itself, so what is inherited never grows.
let found: readonly number[] | null = null

function findInherited(): readonly number[] {
  try {
    return readdirSync(FOLDER)
      .map(Number)
      .filter((descriptor) => descriptor > 2 && isInheritable(descriptor))
  } catch {
    return []
  }
}

function isInheritable(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`${FOLDER}/${descriptor}`, 'utf8'))?.[1]
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0
  } catch {
    return false
  }
}

const FOLDER = '/proc/self/fdinfo'
const CLOSE_ON_EXEC = 0o2000000
