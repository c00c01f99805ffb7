import { nearestName } from '../lib/documents/nearest-name.ts'
import { matchingTexts } from '../lib/patterns.ts'
import { escapePattern } from '../lib/text.ts'
import type { FileChanges, UnreadFile } from '../transcript/transcript.ts'

/** The answer to a question about files: yes, no, or unknown because of something that nobody has read. */
export type Fact =
  | { readonly is: 'no' | 'yes' }
  /** `because`: a clause. */
  | { readonly is: 'unknown'; readonly because: string }

type Listed = readonly { readonly path: string }[]

/** Whether one of these files is at a path or below it. */
export function isListed(path: string, files: Listed, { unreadable }: Pick<FileChanges, 'unreadable'>): Fact {
  if (files.some((file) => isPathBelow(file.path, path))) return { is: 'yes' }
  return unknownBecause(unreadable.find((entry) => isPathBelow(entry.path, path) || isAbove(entry, path)))
}

/** Whether the run created a file for a glob of `claude plugin eval`. */
export function isCreated(glob: string, { created, unreadable }: Pick<FileChanges, 'created' | 'unreadable'>): Fact {
  const paths = [...created, ...unreadable].map(({ path }) => path)
  const search = matchingTexts(patternOf(glob), paths)
  if ('problem' in search) return { is: 'unknown', because: search.problem }
  const matching = new Set(search.found)
  if (created.some(({ path }) => matching.has(path))) return { is: 'yes' }
  return unknownBecause(unreadable.find((entry) => (entry.isNew && matching.has(entry.path)) || mayHold(entry, glob)))
}

/** Whether what was at a path, and below it, before the run is as it was. */
export function isUnchanged(path: string, { modified, deleted, unreadable }: Omit<FileChanges, 'created'>): Fact {
  if ([...modified.map((file) => file.path), ...deleted].some((file) => isPathBelow(file, path))) return { is: 'no' }
  const entry = unreadable.find(
    (one) => isAbove(one, path) || (isPathBelow(one.path, path) && (one.kind === 'hidden' || !one.isNew)),
  )
  return entry === undefined ? { is: 'yes' } : unknownBecause(entry)
}

/** One clause on an entry that was not read. */
export function describeUnread({ path, reason }: UnreadFile): string {
  return `${path === '.' ? 'the workspace' : path} ${reason}`
}

function unknownBecause(entry: UnreadFile | undefined): Fact {
  return entry === undefined ? { is: 'no' } : { is: 'unknown', because: describeUnread(entry) }
}

function isAbove(entry: UnreadFile, path: string): boolean {
  return entry.path === '.' || isPathBelow(path, entry.path)
}

/** Whether a file for the glob may be behind this entry. What a link leads to has another path, which `**` finds. */
function mayHold({ kind, path }: UnreadFile, glob: string): boolean {
  if (kind === 'unread') return false
  const literal = glob.slice(0, /[*?]|$/.exec(glob)?.index)
  if (kind === 'hidden') return path === '.' || literal.startsWith(`${path}/`) || `${path}/`.startsWith(literal)
  const segments = glob.split('/')
  const above = segments.slice(0, path.split('/').length).join('/')
  if (above.includes('**') || above === glob) return false
  const search = matchingTexts(patternOf(above), [path])
  return 'problem' in search || search.found.length > 0
}

/** `*` is anything in one folder, `**` anything, `?` one character. Brackets and braces have no meaning. */
function patternOf(glob: string): string {
  const pattern = glob
    .replaceAll(/(?:\*\*\/){2,}/g, '**/')
    .replaceAll(/\*{3,}/g, '***')
    .split(/(\*\*\/|\*\*|\*|\?)/)
    .map((part) => WILDCARDS[part] ?? escapePattern(part))
  return `^${pattern.join('')}$`
}

const WILDCARDS: Readonly<Record<string, string>> = {
  '**/': String.raw`(?:[^]*\/)?`,
  '**': '[^]*',
  '*': '[^/]*',
  '?': '[^]',
}

/** The path that a person most likely means by `writtenPath`; `null` when none is close. */
export function findNearestPath(writtenPath: string, paths: readonly string[]): string | null {
  const considered = paths.slice(0, 1000)
  const sameName = considered.find((path) => nameOf(path).toLowerCase() === nameOf(writtenPath).toLowerCase())
  return sameName ?? nearestName(writtenPath, considered)
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Tells whether a path is the one given, or is below it; all paths are below the empty one, the workspace. */
export function isPathBelow(path: string, folder: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`)
}
