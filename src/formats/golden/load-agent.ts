import { basename, dirname, join } from 'node:path'
import { valueAt, warningIn, type Issue } from '../../lib/documents/document.ts'
import { readFrontMatter } from '../../lib/documents/read-document.ts'
import type { TrackedFs } from '../../lib/documents/read-text.ts'
import type { Validated } from '../../lib/documents/validate.ts'
import { compareTexts } from '../../lib/text.ts'
import { barePackage, type AgentPackage } from '../../packages/package.ts'
import type { AgentModel, AgentUnderTest } from '../suite.ts'
import { parseJudgeSettings } from './judge-settings.ts'
import { parseRubric } from './rubric.ts'
import { findSection, splitSections } from './sections.ts'

/** An agent folder, or what is wrong with what its tests share. */
export interface LoadedAgent {
  /** `null` when rubric or judge cannot be used. */
  readonly agent: AgentUnderTest | null
  readonly issues: readonly Issue[]
}

/** Reads what the golden tests of an agent share. Never throws: everything wrong is among its issues. */
export async function loadAgent(evalsDir: string, fs: TrackedFs): Promise<LoadedAgent> {
  const dir = dirname(evalsDir)
  const [{ value: rubric, issues: ofRubric }, { value: judge, issues: ofJudge }] = await Promise.all([
    readPart(join(evalsDir, 'rubric.md'), parseRubric, fs),
    readPart(join(evalsDir, 'judge.md'), parseJudgeSettings, fs),
  ])
  const issues = [...ofRubric, ...ofJudge]
  if (rubric === null || judge === null) return { agent: null, issues }

  const file = join(dir, 'model.md')
  const { text } = await fs.readText(file)
  const model = text === null ? NO_MODEL : parseModel(text, file)
  const missing = DOCUMENTED.filter((path) => fs.look(join(dir, path)) === null)
  return {
    agent: { name: basename(dir), dir, evalsDir, model, missing, rubric, judge },
    issues: [
      ...issues,
      ...missing.map((path) => {
        const message = path === 'model.md' ? NO_MODEL_FILE : `the agent has no ${path}; its prompt omits it`
        return warningIn(join(dir, path), 'agent-file-missing', message)
      }),
    ],
  }
}

async function readPart<Part>(
  file: string,
  parse: (text: string, file: string) => Validated<Part>,
  fs: TrackedFs,
): Promise<Validated<Part>> {
  const { text, issue } = await fs.readText(file)
  if (issue === null) return parse(text, file)
  if (issue.code !== 'file-missing') return { value: null, issues: [issue] }
  const message = `the file does not exist; golden tests are scored by ${basename(file)}, so add it`
  return { value: null, issues: [{ ...issue, message }] }
}

const NO_MODEL_FILE = 'the agent has no model.md; set its model with --model'

// What the format documents for every agent; notes and indexes may be absent.
const DOCUMENTED = ['persona/IDENTITY.md', 'persona/SOUL.md', 'persona/USER.md', 'tools.md', 'model.md'] as const

/** An agent's folder as a package: the agent itself, with what its vault says, and the vault's files. */
export async function loadAgentPackage(
  { name, dir }: Pick<AgentUnderTest, 'dir' | 'name'>,
  fs: TrackedFs,
): Promise<AgentPackage> {
  const briefing = await readBriefing(dir, fs)
  const prompt = formatBriefing(briefing)
  const promptFile = briefing.texts[0]?.file ?? join(dir, 'persona', 'IDENTITY.md')
  const parts = briefing.texts.map(({ file, text }) => ({ file, text }))
  return barePackage({
    root: dir,
    skills: [],
    agents: [
      { name, description: `The agent ${name}.`, file: promptFile, promptFile, prompt, skills: [], tools: [], parts },
    ],
    vault: true,
  })
}

/** Reads what a model.md says: Markdown without front matter, the ids in the sections `Default model` and `Fallback`. */
function parseModel(text: string, file: string): AgentModel {
  const sections = splitSections(text, 1)
  return {
    file,
    default: readId(findSection(sections, /^default(?: model)?\b/i)?.text ?? ''),
    fallback: readId(findSection(sections, /^fallback\b/i)?.text ?? ''),
    expectedFactsRequired: /^[^\S\r\n\u2028\u2029]*expected_facts_required:\s*true\b/m.test(text),
  }
}

/** What counts without a model.md. */
const NO_MODEL: AgentModel = { file: null, default: null, fallback: null, expectedFactsRequired: false }

// As code, such as **`claude-opus-4-7`**, else the first word of the section.
function readId(section: string): string | null {
  const code = /`([\w./:@-]+)`/.exec(section)?.[1]
  return code ?? /^[*_\s-]*([\w./:@-]+)/.exec(section)?.[1] ?? null
}

/** A text of an agent's vault. */
interface VaultText {
  /** Absolute path. */
  readonly file: string
  /** Path below the agent's folder, `/`-separated. */
  readonly path: string
  readonly text: string
}

/** The texts that an agent gets before its first prompt. */
interface Briefing {
  /** In the order of model.md: persona, tools, indexes, pinned notes, recent notes, wiki, journal. */
  readonly texts: readonly VaultText[]
  /** Paths of the notes that are too many to be sent. */
  readonly leftOut: readonly string[]
}

/** Reads the texts that an agent gets. Files that are not there are left out. */
async function readBriefing(dir: string, fs: TrackedFs): Promise<Briefing> {
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
function formatBriefing({ texts, leftOut }: Briefing): string {
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
  const withFacts = notes.map((note) => ({ note, ...factsOf(note) }))
  return withFacts
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
