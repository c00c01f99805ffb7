import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { walkWorkspace, type Snapshot, type WalkOptions } from './hash-walk.ts'
import { compareTexts } from '../texts.ts'
import type { ChangedFile, FileChanges } from '../transcript/agent-run.ts'

/** Compares a workspace with how it was, by content. A walk that was cut short is named at path `.`. */
export async function findChanges(root: string, before: Snapshot, options: WalkOptions = {}): Promise<FileChanges> {
  const after = await walkWorkspace(root, options, before)
  const created: ChangedFile[] = []
  const modified: ChangedFile[] = []
  const unreadable: { readonly path: string; readonly reason: string }[] = []
  if (after.cut !== null) unreadable.push({ path: '.', reason: `was not read completely: ${after.cut}` })
  for (const [path, file] of after.files) {
    const earlier = before.files.get(path)
    if (file.hash === null) {
      const isSame = earlier?.hash === null && earlier.stamp === file.stamp && earlier.stamp !== ''
      if (!isSame) unreadable.push({ path: printable(path), reason: file.reason ?? 'cannot be read' })
      continue
    }
    const changed = { path, size: file.size, hash: file.hash }
    if (earlier === undefined) created.push(changed)
    else if (earlier.hash !== file.hash) modified.push(changed)
  }
  const unseen = [...before.files.keys()].filter((path) => !after.files.has(path))
  const deleted = unseen.filter((path) => isGone(join(root, path)))
  return {
    created: created.toSorted(byPath),
    modified: modified.toSorted(byPath),
    deleted: deleted.toSorted(),
    unreadable: unreadable.toSorted(byPath),
  }
}

// A replacement character replaces bytes that are no text; a path may be as long as the system allows.
function printable(path: string): string {
  const text = path === '' ? '.' : path.replaceAll('\uFFFD', '\\x??')
  return text.length > 300 ? `${text.slice(0, 200)}…${text.slice(-80)}` : text
}

// The walk may have been cut short, or kept out of a folder.
function isGone(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true
  } catch {
    return false
  }
}

function byPath(a: { readonly path: string }, b: { readonly path: string }): number {
  return compareTexts(a.path, b.path)
}
