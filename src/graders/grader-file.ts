import type { ImageType, TargetFile } from './graded-run.ts'

/** What was found at a path. */
export type ReadFile =
  | { readonly status: 'read'; readonly bytes: Buffer; readonly truncated: boolean }
  | { readonly status: 'missing' }
  | { readonly status: 'unreadable'; readonly reason: string; readonly isNoFile?: boolean }

/** Tells text from images by the first bytes, whatever the name says. */
export function createGraderFile(path: string, read: ReadFile): TargetFile {
  if (read.status === 'missing') return { kind: 'none', problem: `the file ${path} does not exist` }
  // A folder, or what is outside of the workspace, is no file that a run has left: nothing about it is unknown.
  if (read.status === 'unreadable')
    return { kind: read.isNoFile === true ? 'none' : 'unknown', problem: `the file ${path} ${read.reason}` }
  const { bytes, truncated } = read
  const mediaType = imageType(bytes)
  if (mediaType !== null)
    return truncated
      ? { kind: 'unknown', problem: `the image ${path} is too large` }
      : { kind: 'image', mediaType, base64: bytes.toString('base64') }
  const text = new TextDecoder('utf-8').decode(bytes)
  const missing = truncated ? { missing: `the file ${path} is larger than ${bytes.length} bytes` } : {}
  if (!bytes.includes(0)) return { kind: 'text', text, ...missing }
  // A pattern can still be looked for.
  return {
    kind: 'text',
    text,
    ...missing,
    binary: `the file ${path} is binary, and no image that a judge can be shown`,
  }
}

function imageType(bytes: Buffer): ImageType | null {
  const start = bytes.subarray(0, 12).toString('latin1')
  if (start.startsWith('\u0089PNG\r\n\u001A\n')) return 'image/png'
  if (start.startsWith('\u00FF\u00D8\u00FF')) return 'image/jpeg'
  if (start.startsWith('GIF87a') || start.startsWith('GIF89a')) return 'image/gif'
  return start.startsWith('RIFF') && start.slice(8, 12) === 'WEBP' ? 'image/webp' : null
}
