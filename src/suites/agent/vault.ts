import { join } from 'node:path'
import { valueAt } from '../../documents/document.ts'
import { readFrontMatter } from '../../documents/front-matter.ts'
import { compareTexts } from '../../texts.ts'
import type { TrackedFs } from '../../documents/tracked-fs.ts'

/** A text of an agent's vault. */
export interface VaultText {
  /** Absolute path. */
  readonly file: string
  /** Path below the agent's folder, `/`-separated. */
  readonly path: string
  readonly text: string
}

/** The texts that an agent gets before its first prompt. */
export interface Briefing {
  /** In the order of model.md: persona, tools, indexes, pinned notes, recent notes, wiki, journal. */
  readonly texts: readonly VaultText[]
  /** Paths of the notes that are too many to be sent. */
  readonly leftOut: readonly string[]
}

/** Reads the texts that an agent gets. Files that are not there are left out. */
export async function readBriefing(dir: string, fs: TrackedFs): Promise<Briefing> {
  const read = (paths: readonly string[]): Promise<readonly VaultText[]> => readTexts(dir, paths, fs)
  const [persona, memory, wiki, journal] = await Promise.all(
    ['persona', 'memory', 'wiki', 'journal'].map((folder) => listNotes(dir, folder, fs)),
  )
  const [first, others] = divide(persona ?? [], (path) => PERSONA.includes(path))
  const [indexes, notes] = divide([...(memory ?? []), ...(wiki ?? [])], (path) => INDEX.test(path))
  const always = await read([
    ...first.toSorted((a, b) => PERSONA.indexOf(a) - PERSONA.indexOf(b)),
    ...others,
    'tools.md',
    ...indexes,
  ])
  const ordered = orderNotes(await read(notes))
  const recent = (await read((journal ?? []).filter((path) => !INDEX.test(path)).slice(-JOURNAL_FILES))).toReversed()
  return within([...always], [...ordered, ...recent])
}

/** A briefing as one system prompt. */
export function formatBriefing({ texts, leftOut }: Briefing): string {
  const parts = texts.map(({ path, text }) => `<!-- ${path} -->\n\n${text.trim()}`)
  const rest = leftOut.length === 0 ? [] : [`<!-- Further notes, not loaded: ${leftOut.join(', ')} -->`]
  return `${[...parts, ...rest].join('\n\n')}\n`
}

const PERSONA: readonly string[] = ['persona/IDENTITY.md', 'persona/SOUL.md', 'persona/USER.md']
const INDEX = /(?:^|\/)index\.md$/i
const JOURNAL_FILES = 3

/** Characters of notes and journal together. */
const MOST_NOTES = 120_000

async function listNotes(dir: string, folder: string, fs: TrackedFs): Promise<readonly string[]> {
  const entries = await fs.list(join(dir, folder))
  const found = await Promise.all(
    entries.map(async (entry): Promise<readonly string[]> => {
      const path = `${folder}/${entry.name}`
      if (entry.isDirectory() && !entry.name.startsWith('.')) return listNotes(dir, path, fs)
      return entry.isFile() && entry.name.endsWith('.md') ? [path] : []
    }),
  )
  return found.flat()
}

async function readTexts(dir: string, paths: readonly string[], fs: TrackedFs): Promise<readonly VaultText[]> {
  const texts = await Promise.all(
    paths.map(async (path): Promise<readonly VaultText[]> => {
      const file = join(dir, path)
      const { text } = await fs.readText(file)
      return text === null ? [] : [{ file, path, text }]
    }),
  )
  return texts.flat()
}

function divide(paths: readonly string[], isFirst: (path: string) => boolean): [string[], string[]] {
  return [paths.filter(isFirst), paths.filter((path) => !isFirst(path))]
}

// Pinned ones, then the newest by what they say of themselves; a checkout gives every file the same time.
function orderNotes(notes: readonly VaultText[]): readonly VaultText[] {
  const known = notes.map((note) => ({ note, ...factsOf(note) }))
  return known
    .toSorted(
      (a, b) =>
        Number(b.isPinned) - Number(a.isPinned) ||
        compareTexts(b.date, a.date) ||
        compareTexts(a.note.path, b.note.path),
    )
    .map(({ note }) => note)
}

function factsOf({ text, file }: VaultText): { readonly isPinned: boolean; readonly date: string } {
  const value = readFrontMatter(text, file).document?.value
  const date = ['updated', 'modified', 'created', 'date'].map((name) => valueAt(value, name))
  return {
    isPinned: valueAt(value, 'pinned') === true,
    date: date.find((one): one is string => typeof one === 'string') ?? '',
  }
}

function within(always: readonly VaultText[], notes: readonly VaultText[]): Briefing {
  const texts = [...always]
  const leftOut: string[] = []
  let left = MOST_NOTES
  for (const note of notes) {
    left -= note.text.length
    if (left >= 0) texts.push(note)
    else leftOut.push(note.path)
  }
  return { texts, leftOut }
}
