import { basename, join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { AgentEvalsError } from '../../errors.ts'
import { pathFrom } from '../../packages/package-root.ts'
import { foldersUpwards, listNames } from '../../files.ts'

/** Words the failure to load a Vitest configuration as one sentence and what to do. Our own errors stay as they are. */
export function brokenConfiguration(error: unknown, { folder, file, advice }: BrokenPlace): AgentEvalsError {
  if (error instanceof AgentEvalsError) return error
  const path = file ?? findConfiguration(folder)
  const shown = path === null ? `the Vitest configuration of ${folder}` : pathFrom(process.cwd(), path)
  const reason = reasonOf(error, path === null ? null : basename(path))
  const isMissing = typeof error === 'object' && error !== null && 'code' in error && MISSING.has(String(error.code))
  const todo = isMissing ? `Install the packages of this repository, or fix the import${advice}.` : `Fix it${advice}.`
  return new AgentEvalsError('invalid-options', `Cannot load ${shown}: ${reason} ${todo}`, { cause: error })
}

interface BrokenPlace {
  /** Absolute path of the folder whose configuration it is. */
  readonly folder: string
  /** Absolute path of the configuration, where it was named. */
  readonly file?: string | undefined
  /** What else can be done, after "Fix it". */
  readonly advice: string
}

const MISSING: ReadonlySet<string> = new Set(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'])

// The bundler has the mistakes of a file in a list, with pictures of the lines.
function reasonOf(error: unknown, name: string | null): string {
  const listed = typeof error === 'object' && error !== null && 'errors' in error ? error.errors : undefined
  const first: unknown = Array.isArray(listed) ? listed[0] : undefined
  const plain = stripVTControlCharacters(messageOf(first ?? error))
  const line = plain.split('\n').find((one) => one.trim() !== '') ?? ''
  const [, row] = /:(\d+):\d+/.exec(plain.split('\n')[1] ?? '') ?? []
  // Vite loads a copy beside the file.
  const text = line
    .trim()
    .replace(/^\[\w+\] /, '')
    .replace(/ imported from \S*\.timestamp-\S+$/, '')
  const named = name === null ? text : text.replace(/(?<!\S)\S*\.timestamp-[\w-]+\.mjs/, name)
  return `${named.replace(/(?<![.\s])[.\s]+$/, '')}${first === undefined || row === undefined ? '' : ` in line ${row}`}.`
}

function messageOf(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'message' in error) return String(error.message)
  return String(error)
}

// As Vitest looks for it.
function findConfiguration(folder: string): string | null {
  for (const at of foldersUpwards(folder)) {
    const names = listNames(at).filter((name) => /^vite(?:st)?\.config\.[cm]?[jt]s$/.test(name))
    const [first] = names.toSorted((a, b) => Number(b.startsWith('vitest')) - Number(a.startsWith('vitest')))
    if (first !== undefined) return join(at, first)
  }
  return null
}
