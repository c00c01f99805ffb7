import { existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AgentEvalsError, messageOf } from '../../lib/errors.ts'
import {
  appendText,
  checkoutAround,
  createFile,
  foldersUpTo,
  foldersUpwards,
  readTextFile,
  refuseLeaving,
  tryReadText,
} from '../../lib/files.ts'

/** A file to write unless it is there. */
export interface NewFile {
  /** Absolute path. */
  readonly file: string
  readonly text: string
  /** True for a case about a hook. */
  readonly isHookCase?: boolean
}

/** A file that was to be written. */
export interface Written extends NewFile {
  /** True where it was not there before. */
  readonly isNew: boolean
}

/** Writes files that are not there, and none through a link that leads out of the root. */
export function writeAll<File extends NewFile>(root: string, files: readonly File[]): readonly (File & Written)[] {
  return files.map((planned) => {
    const { file, text } = planned
    const isNew = explainFailure(file, () => {
      refuseLeaving(root, dirname(file))
      mkdirSync(dirname(file), { recursive: true })
      // Atomic, and never over a file that is there, also when it came to be a moment ago.
      return createFile(file, text)
    })
    return { ...planned, isNew }
  })
}

function explainFailure<Result>(file: string, write: () => Result): Result {
  try {
    return write()
  } catch (error) {
    throw new AgentEvalsError('report-unwritable', `Cannot write ${file}: ${messageOf(error)}`, { cause: error })
  }
}

/** The configuration of Vitest that a folder has. */
interface FoundConfig {
  /** Its name. */
  readonly name: string
  /** Whether it names the plugin. */
  readonly isSet: boolean
  /** Whether it is written with `require` and `module.exports`. */
  readonly isCommonJs: boolean
}

/**
 * The folder that a configuration belongs in: the nearest from here upwards that has one, else the outermost package of
 * npm, as far as the checkout. A plugin of a repository gets none of its own.
 */
export function configFolder(start: string): string {
  const checkout = checkoutAround(start)
  const folders = checkout === null ? [start] : foldersUpTo(checkout, start)
  return (
    folders.find((folder) => configName(folder) !== undefined) ??
    folders.findLast((folder) => existsSync(join(folder, 'package.json'))) ??
    checkout ??
    start
  )
}

function configName(folder: string): string | undefined {
  return CONFIGS.find((name) => existsSync(join(folder, name)))
}

const CONFIGS = ['vitest.config', 'vite.config'].flatMap((name) =>
  ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs'].map((extension) => `${name}.${extension}`),
)

/** Finds the configuration of Vitest in a folder; `null` when there is none. */
export function findConfig(root: string): FoundConfig | null {
  const name = configName(root)
  if (name === undefined) return null
  const text = readTextFile(join(root, name))
  return { name, isSet: text.includes('vitest-agent-evals'), isCommonJs: isCommonJs(name, text, root) }
}

// Vite accepts both forms in either kind of package, so what is written there already counts first.
function isCommonJs(name: string, text: string, root: string): boolean {
  if (/^[^\S\r\n\u2028\u2029]*(?:import|export)\b/m.test(text)) return false
  if (/\b(?:module\.exports|require\()/.test(text)) return true
  return /\.c[jt]s$/.test(name) || (/\.[jt]s$/.test(name) && !isModulePackage(root))
}

function isModulePackage(root: string): boolean {
  const manifest = foldersUpwards(root).find((folder) => existsSync(join(folder, 'package.json')))
  return manifest !== undefined && /"type"\s*:\s*"module"/.test(readTextFile(join(manifest, 'package.json')))
}

/** A configuration of Vitest with the plugin. Where packages are CommonJS, only `.mts` may import an ES module. */
export function newConfig(root: string): NewFile {
  const text = `import { agentEvals } from 'vitest-agent-evals'
import { defineConfig } from 'vitest/config'

export default defineConfig({ plugins: [agentEvals()] })
`
  return { file: join(root, isModulePackage(root) ? 'vitest.config.ts' : 'vitest.config.mts'), text }
}

/** The lines for what is installed and what runs leave that `.gitignore` lacks. */
export function linesToIgnore(root: string): readonly string[] {
  const present = new Set(ignoreText(root).split('\n').map(bareLine))
  return ['node_modules/', '.vitest/', '**/evals/reports/'].filter((line) => !present.has(bareLine(line)))
}

// `/x/`, `x` and `**/x` are one line to the person who wrote it.
function bareLine(line: string): string {
  return line.trim().replaceAll(/^(?:\*\*\/|\/)|\/$/g, '')
}

/** Adds lines to `.gitignore`. */
export function addIgnored(root: string, lines: readonly string[]): void {
  if (lines.length === 0) return
  const text = ignoreText(root)
  const gap = text === '' || text.endsWith('\n') ? '' : '\n'
  const file = join(root, '.gitignore')
  explainFailure(file, () => {
    refuseLeaving(root, file)
    appendText(file, `${gap}${lines.join('\n')}\n`)
  })
}

function ignoreText(root: string): string {
  return tryReadText(join(root, '.gitignore')) ?? ''
}
