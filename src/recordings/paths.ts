import type { JsonValue } from '../lib/json.ts'
import { escapePattern } from '../lib/text.ts'
import type { Conversation } from './conversation.ts'

/** Paths of one session by the name that replaces them in a recording. */
export type SessionFolders = Readonly<Record<FolderName, string>>

/** What a recording calls a folder of the session: `⟨workspace⟩`. */
type FolderName = 'workspace' | 'parent' | 'config' | 'home' | 'tmp' | 'hooks' | 'package' | 'node' | 'shim'

/** Replaces the session's own paths by names, in every text of a value: the next session has others. */
export function nameFolders<Value>(value: Value, folders: SessionFolders): Value {
  const replace = createReplacer(folders)
  return mapTexts(value as JsonValue, replace) as Value
}

/**
 * Replaces names by the paths of this session. In a shell command a path is quoted where its place asks for it: a
 * folder with spaces must stay one word.
 */
export function placeFolders<Value>(value: Value, folders: SessionFolders): Value {
  return mapTexts(value as JsonValue, (text, key) =>
    text.replaceAll(NAMED, (name, folder: string, at: number) => {
      const path = folders[folder as FolderName]
      if (path === undefined) return name
      // The root ends with the separator itself.
      if (path === '/' && text[at + name.length] === '/') return ''
      return SHELL_KEYS.has(key) ? quotedFor(text.slice(0, at), path) : path
    }),
  ) as Value
}

/** Only recordings know the names that replace folders, so no real text has them. */
const NAMED = /⟨(\w+)⟩/g

/** Fields of tool calls that hold a command line. */
const SHELL_KEYS: ReadonlySet<string> = new Set(['cmd', 'command', 'script'])

function createReplacer(folders: SessionFolders): (text: string) => string {
  const names = new Map<string, string>()
  // The root begins every path, so it can name none.
  for (const [name, path] of Object.entries(folders).filter(([, folder]) => folder !== '/'))
    for (const form of formsOf(path)) if (!names.has(form)) names.set(form, name)
  // A folder inside another is looked for first.
  const forms = [...names.keys()].toSorted((a, b) => b.length - a.length)
  const pattern = new RegExp(`(?<![\\w.~⟩-])(?:${forms.map(escapePattern).join('|')})(?![\\w-]|\\.\\w)`, 'g')
  return (text) => text.replaceAll(pattern, (form) => `⟨${names.get(form) ?? ''}⟩`)
}

// As it is, as a shell takes it without quotes, and in an address.
function formsOf(path: string): readonly string[] {
  return [path, escapeForShell(path), encodeURI(path)]
}

function mapTexts(value: JsonValue, change: (text: string, key: string) => string, key = ''): JsonValue {
  if (typeof value === 'string') return change(value, key)
  if (Array.isArray(value)) return value.map((item: JsonValue) => mapTexts(item, change, key))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [change(name, ''), mapTexts(item as JsonValue, change, name)]),
  )
}

function quotedFor(before: string, path: string): string {
  const quote = openQuote(before)
  if (quote === "'") return path.replaceAll("'", String.raw`'\''`)
  if (quote === '"') return path.replaceAll(/["$\\`]/g, String.raw`\$&`)
  return escapeForShell(path)
}

/** The quote that is open at the end of a piece of a command line. */
function openQuote(text: string): '"' | "'" | null {
  let quote: '"' | "'" | null = null
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]
    if (character === '\\' && quote !== "'") at += 1
    else if ((character === '"' || character === "'") && quote === null) quote = character
    else if (character === quote) quote = null
  }
  return quote
}

function escapeForShell(path: string): string {
  return path.replaceAll(/[^\w./:@%+=,\u0080-\u{10FFFF}-]/gu, String.raw`\$&`)
}

/**
 * A conversation with the session's paths replaced by names, but for the texts that the engine showed: ours are looked
 * for in these as they are written. `redact` takes the secrets of this machine out.
 */
export function nameConversation(
  { threads, unanswered, ...rest }: Conversation,
  folders: SessionFolders,
  sandboxFolders: SessionFolders,
  redact: <Value>(value: Value) => Value,
): Conversation {
  const name = <Value>(value: Value): Value => redact(nameFolders(value, folders))
  // A run without a sandbox may name what only a sandbox has, such as its /tmp; in results both are the same.
  const nameBoth = <Value>(value: Value): Value => nameFolders(name(value), sandboxFolders)
  return {
    ...rest,
    unanswered: name(unanswered),
    threads: threads.map(({ thread, given, turns }) => ({
      thread,
      given: name(given),
      turns: turns.map((turn) => ({ ...turn, results: nameBoth(turn.results), answer: name(turn.answer) })),
    })),
  }
}
