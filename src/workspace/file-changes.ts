import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { walkWorkspace, type Snapshot, type WalkOptions } from './hash-walk.ts'
import { compareTexts } from '../texts.ts'
import type { ChangedFile, FileChanges, UnreadFile } from '../transcript/agent-run.ts'

/** Compares a workspace with how it was, by content. A walk that was cut short is named at path `.`. */
export async function findChanges(root: string, before: Snapshot, options: WalkOptions = {}): Promise<FileChanges> {
  const after = await walkWorkspace(root, options, before)
  const created: ChangedFile[] = []
  const modified: ChangedFile[] = []
  const unreadable: UnreadFile[] = []
  if (after.cut !== null)
    unreadable.push({ path: '.', reason: `was not read completely: ${after.cut}`, kind: 'hidden', isNew: false })
  for (const [path, file] of after.files) {
    const earlier = before.files.get(path)
    if (file.unread !== null || file.hash === null) {
      const isSame = earlier?.hash === null && earlier.stamp === file.stamp && earlier.stamp !== ''
      const { kind, reason } = file.unread ?? { kind: 'unread', reason: 'cannot be read' }
      if (!isSame) unreadable.push({ ...printable(path, kind), reason, isNew: earlier === undefined })
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
function printable(path: string, kind: UnreadFile['kind']): Pick<UnreadFile, 'kind' | 'path'> {
  const text = path === '' ? '.' : path.replaceAll('\uFFFD', '\\x??')
  return text.length > 300 ? { path: `${text.slice(0, 200)}…${text.slice(-80)}`, kind: 'hidden' } : { path: text, kind }
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
