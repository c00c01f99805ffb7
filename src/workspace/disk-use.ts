import { lstatSync, opendirSync, type Dir } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** What a folder takes on the disk. */
export interface DiskUse {
  readonly bytes: number
  readonly entries: number
}

/**
 * Counts what is in a folder, without following a link, and stops once one of the limits is exceeded. Holes in files
 * take nothing, and a file with several names counts once. What changes meanwhile is counted or not. Names are bytes, and
 * what has too long a path to be looked at exceeds the limit.
 */
export async function measureDisk(root: string, limits: DiskUse): Promise<DiskUse> {
  const folders = [Buffer.from(root)]
  const linked = new Set<string>()
  let bytes = 0
  let entries = 0
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const dir = open(folder)
    if (dir === 'too-long') return { bytes, entries: Number.POSITIVE_INFINITY }
    if (dir === null) continue
    try {
      for (let entry = dir.readSync(); entry !== null; entry = dir.readSync()) {
        entries += 1
        const path = Buffer.concat([folder, SLASH, Buffer.from(entry.name)])
        const size = measureEntry(path, linked)
        if (size === 'too-long') return { bytes, entries: Number.POSITIVE_INFINITY }
        bytes += size
        if (entry.isDirectory()) folders.push(path)
        if (bytes > limits.bytes || entries > limits.entries) return { bytes, entries }
        if (entries % ENTRIES_PER_TURN === 0) await nextTurn()
      }
    } finally {
      dir.closeSync()
    }
  }
  return { bytes, entries }
}

function measureEntry(path: Buffer, linked: Set<string>): number | 'too-long' {
  try {
    const { blocks, dev, ino, nlink } = lstatSync(path)
    const id = `${dev}:${ino}`
    if (nlink > 1 && linked.has(id)) return 0
    if (nlink > 1) linked.add(id)
    return (blocks ?? 0) * BLOCK
  } catch (error) {
    return isTooLong(error) ? 'too-long' : 0
  }
}

function open(folder: Buffer): Dir | 'too-long' | null {
  try {
    // Names are buffers then, which the types do not say.
    return opendirSync(folder, { bufferSize: 256, encoding: 'buffer' as BufferEncoding })
  } catch (error) {
    return isTooLong(error) ? 'too-long' : null
  }
}

function isTooLong(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENAMETOOLONG'
}

const SLASH = Buffer.from('/')

const ENTRIES_PER_TURN = 128
/** The unit in which files name what they take, whatever the file system's own. */
const BLOCK = 512
