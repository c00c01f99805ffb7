import { AgentEvalsError } from '../errors.ts'

/**
 * Refuses a path that could land outside the workspace, or not where it says on some file system.
 * The loader has reported it with line and column; this holds for every path.
 */
export function assertSafePath(path: string, entry: string): void {
  const problem = problemOf(path)
  if (problem === null) return
  throw new AgentEvalsError(
    'unsafe-path',
    `${entry} ${problem}. Use a plain path relative to the workspace, such as "src/a.txt".`,
  )
}

/** Makes paths equal that one file system or another takes for the same file. */
export function foldPath(path: string): string {
  return path.normalize('NFC').toLowerCase().normalize('NFC')
}

function problemOf(path: string): string | null {
  if (path === '') return 'is an empty path'
  if (/\p{Cc}/u.test(path)) return 'contains a control character'
  if (path.includes('\\')) return 'contains a backslash'
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return 'is an absolute path'
  if (path.startsWith('~')) return 'starts with ~, which is not expanded'
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return `is longer than ${MAX_PATH_BYTES} bytes`
  const segments = path.split('/')
  if (segments.includes('..')) return 'leads out of the workspace'
  if (segments.some((segment) => segment === '' || segment === '.')) return 'has an empty or "." component'
  if (segments.some((segment) => Buffer.byteLength(segment) > MAX_NAME_BYTES))
    return `has a name longer than ${MAX_NAME_BYTES} bytes`
  if (segments.some((segment) => /[. ]$/.test(segment))) return 'has a name that ends with a space or a dot'
  return null
}

const MAX_PATH_BYTES = 1024
const MAX_NAME_BYTES = 255
