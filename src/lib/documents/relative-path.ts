/** Why `path` may not name a file inside a folder, as the end of a sentence; `null` when it may. */
export function checkRelativePath(path: string): string | null {
  if (path.trim() === '') return 'is empty'
  if (CONTROL_CHARACTER.test(path)) return 'contains a control character'
  if (path.includes('\\')) return 'contains a backslash; write "/" between folders'
  if (path.startsWith('/')) return 'is absolute; write it relative'
  if (/^[A-Za-z]:/.test(path)) return 'starts with a drive letter; write it relative'
  if (path.startsWith('~')) return 'starts with "~"; write it relative'

  const parts = splitPath(path)
  if (parts.length === 0) return 'names the folder itself'
  for (const part of parts) {
    const problem = checkPart(part)
    if (problem !== null) return problem
  }

  return null
}

/** The same path without `./`, doubled and trailing slashes. Only for a path that passed the check. */
export function normalizeRelativePath(path: string): string {
  return splitPath(path).join('/')
}

/** Two paths of equal keys are one file on a disk that ignores case or Unicode form. */
export function collisionKey(path: string): string {
  return normalizeRelativePath(path).normalize('NFC').toLowerCase()
}

function splitPath(path: string): readonly string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.')
}

function checkPart(part: string): string | null {
  if (part === '..') return 'leaves the folder with ".."'
  if (Buffer.byteLength(part) > 255) return 'contains a name of more than 255 bytes'
  if (part.endsWith(' ') || part.startsWith(' ')) return 'contains a name that starts or ends with a space'
  if (part.endsWith('.')) return 'contains a name that ends with a dot'
  return null
}

// Also the marks that reorder or hide text: a name must look like what it is.
// oxlint-disable-next-line no-control-regex
const CONTROL_CHARACTER = /[\u0000-\u001F\u007F-\u009F\u200B\u200E\u200F\u2028-\u202E\u2060\u2066-\u2069\uFEFF]/
