import { snakeCase } from './snake-case.ts'

/** Fields that hold files for the agent, as `files` does. */
export const INPUT_FIELDS = [
  'input_files',
  'input_file',
  'attachments',
  'attachment',
  'attached_files',
  'context_files',
  'context_file',
  'fixture_files',
  'fixture_file',
  'setup_files',
  'workspace_files',
  'initial_files',
  'mock_files',
  'sample_files',
  'seed_files',
] as const

/** Fields that may hold files for the agent, or something else. */
export const POSSIBLE_INPUT_FIELDS = ['file', 'inputs'] as const

/** Fields that name the folder which a workspace begins with, or a state that only their author knows. */
export const PLACE_FIELDS = [
  'fixture',
  'fixtures',
  'fixture_dir',
  'fixture_path',
  'fixture_repo',
  'workspace',
  'workspace_dir',
  'workspace_fixture',
  'repo',
  'repo_fixture',
  'repository',
  'project',
  'scaffold',
  'setup',
  'setup_dir',
] as const

/** What a field says of the files that it names. */
export type FileUse = 'input' | 'place' | 'possible'

/** What the name of a field of an entry says; `null` where it is none of these. */
export function useOf(key: string): FileUse | null {
  const name = snakeCase(key)
  if (INPUTS.has(name)) return 'input'
  return POSSIBLE.has(name) ? 'possible' : PLACES.has(name) ? 'place' : null
}

/** What the name of a field says in an object under such a name: `setup: { files: [...] }`. */
export function heldUse(key: string): FileUse | null {
  return HELD_PLACES.has(snakeCase(key)) ? 'place' : useOf(key)
}

const INPUTS: ReadonlySet<string> = new Set(['files', ...INPUT_FIELDS])
const POSSIBLE: ReadonlySet<string> = new Set(POSSIBLE_INPUT_FIELDS)
const PLACES: ReadonlySet<string> = new Set(PLACE_FIELDS)
const HELD_PLACES: ReadonlySet<string> = new Set(['dir', 'directory', 'folder', 'path', 'template'])

/** Whether a value is a script that prepares the workspace: a run executes none. */
export function isScript(key: string, value: unknown): boolean {
  return (
    /^(?:setup|scaffold)$/.test(key) &&
    typeof value === 'string' &&
    /\.(?:[cm]?[jt]s|bash|ps1|py|rb|sh|zsh)$/.test(value)
  )
}

/** Whether a text names a file, or for a workspace a folder. */
export function isNamed(text: string, use: FileUse): boolean {
  return use === 'place' ? isPath(text) || LABEL.test(text) : isPath(text)
}

// One word is a label, which may be the name of a folder.
const LABEL = /^[\w@][\w.@-]*(?:\/[\w.@-]+)*\/?$/

/** Whether a text is a path. A sentence, a pattern and an address are none. */
export function isPath(text: string): boolean {
  if (text.length > MAX_PATH || /[\s*?<>|{}"`]|:\/\/|@[\w-]+\./.test(text.replaceAll(/(?<=\S) (?=\S)/g, '')))
    return false
  return text.includes(' ') ? /^\S+(?: \S+){1,4}$/.test(text) && hasEnding(text) : hasEnding(text) || FOLDER.test(text)
}

const MAX_PATH = 500
const FOLDER = /^(?:\.{1,2}\/|\/|~\/)?(?:\S+\/$|(?:assets|evals?|files|fixtures?|tests?)\/\S+$)/

/** Whether a text ends as the name of a file does. */
export function hasEnding(text: string): boolean {
  return /[^/\s]\.[A-Za-z]\w{0,9}$|(?:^|\/)(?:\.[A-Za-z][\w.-]*|(?:Docker|Gem|Just|Make|Proc|Rake)file)$/.test(text)
}
