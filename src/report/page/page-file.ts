import { isUtf8 } from 'node:buffer'
import { imageTypeOf } from '../../results/kept-files.ts'
import type { StoredFile } from './evidence-places.ts'
import type { PageFile } from './page-data.ts'

/** What is known of a changed file. */
export interface ChangedFile extends Pick<PageFile, 'change' | 'path' | 'size'> {
  readonly before: StoredFile | null
  readonly after: StoredFile | null
}

/** Prepares a changed file for the page: as a text, as a picture, or as a note on why it is neither. */
export function pageFile({ path, size, change, before, after }: ChangedFile): PageFile {
  const image = after === null ? null : imageOf(path, after)
  const texts = { before: textOf(before), after: textOf(after) }
  return { path, size, change, ...texts, image, note: noteOn({ change, before, after }, image) }
}

function noteOn(
  { change, before, after }: Pick<ChangedFile, 'after' | 'before' | 'change'>,
  image: string | null,
): string | null {
  const stored = change === 'deleted' ? before : after
  if (stored === null)
    return change === 'deleted' ? 'Its content before the run was not kept.' : 'Its content was not kept.'
  if (image !== null) return null
  if (!isText(stored)) return 'Not a text file, so its content is not shown.'
  if (stored.size > MOST_TEXT_BYTES) return `Cut: the first ${MOST_TEXT_BYTES} of ${stored.size} bytes are shown.`
  if (change === 'modified' && !isText(before))
    return 'Its text before the run was not kept, so all lines are shown as they are now.'
  return null
}

function textOf(stored: StoredFile | null): string | null {
  return isText(stored) ? stored.bytes.subarray(0, MOST_TEXT_BYTES).toString() : null
}

function isText(stored: StoredFile | null): stored is StoredFile {
  if (stored === null || stored.bytes.includes(0)) return false
  // The end may be in the middle of a character where the file was not read to its end.
  return stored.bytes.length < stored.size ? true : isUtf8(stored.bytes)
}

// By its first bytes and not by its name: a name is what the agent chose.
function imageOf(path: string, { bytes, size }: StoredFile): string | null {
  if (size > MOST_IMAGE_BYTES || bytes.length < size) return null
  const type = imageTypeOf(bytes)
  if (type !== undefined) return `data:${type};base64,${bytes.toString('base64')}`
  // An image element runs no script of an SVG file and loads nothing for it.
  if (/\.svg$/i.test(path) && isUtf8(bytes)) return `data:image/svg+xml;base64,${bytes.toString('base64')}`
  return null
}

const MOST_TEXT_BYTES = 256 * 1024
const MOST_IMAGE_BYTES = 1024 ** 2
