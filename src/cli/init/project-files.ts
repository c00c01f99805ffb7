import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findEngine } from '../../engines/find.ts'
import { AgentEvalsError, messageOf } from '../../lib/errors.ts'
import {
  appendText,
  checkoutAround,
  foldersUpTo,
  foldersUpwards,
  readTextFile,
  refuseLeaving,
  tryReadText,
} from '../../lib/files.ts'
import type { ResolvedOptions } from '../../options/options.ts'
import { pathFrom } from '../../packages/package-root.ts'
import { decideSandbox } from '../../sandbox/decide.ts'

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
    folders.find((folder) => findConfig(folder) !== null) ??
    folders.findLast((folder) => existsSync(join(folder, 'package.json'))) ??
    checkout ??
    start
  )
}

/** Finds the configuration of Vitest in a folder; `null` when there is none. */
export function findConfig(root: string): FoundConfig | null {
  const name = CONFIGS.find((one) => existsSync(join(root, one)))
  if (name === undefined) return null
  const text = read(join(root, name))
  return { name, isSet: text.includes('vitest-agent-evals'), isCommonJs: isCommonJs(name, text, root) }
}

// Vite accepts both forms in either kind of package, so what is written there already counts first.
function isCommonJs(name: string, text: string, root: string): boolean {
  if (/^[^\S\r\n\u2028\u2029]*(?:import|export)\b/m.test(text)) return false
  if (/\b(?:module\.exports|require\()/.test(text)) return true
  return /\.c[jt]s$/.test(name) || (/\.[jt]s$/.test(name) && !isModulePackage(root))
}

/** A configuration of Vitest with the plugin. Where packages are CommonJS, only `.mts` may import an ES module. */
export function newConfig(root: string): NewFile {
  const text = [
    "import { agentEvals } from 'vitest-agent-evals'",
    "import { defineConfig } from 'vitest/config'",
    '',
    'export default defineConfig({ plugins: [agentEvals()] })',
    '',
  ].join('\n')
  return { file: join(root, isModulePackage(root) ? 'vitest.config.ts' : 'vitest.config.mts'), text }
}

function isModulePackage(root: string): boolean {
  const manifest = foldersUpwards(root).find((folder) => existsSync(join(folder, 'package.json')))
  return manifest !== undefined && /"type"\s*:\s*"module"/.test(read(join(manifest, 'package.json')))
}

/** The lines for what is installed and what runs leave that `.gitignore` lacks. */
export function linesToIgnore(root: string): readonly string[] {
  const present = new Set(ignoreText(root).split('\n').map(bareLine))
  return IGNORED.filter((line) => !present.has(bareLine(line)))
}

/** Adds lines to `.gitignore`. */
export function addIgnored(root: string, lines: readonly string[]): void {
  if (lines.length === 0) return
  const text = ignoreText(root)
  const gap = text === '' || text.endsWith('\n') ? '' : '\n'
  const file = join(root, '.gitignore')
  try {
    refuseLeaving(root, file)
    appendText(file, `${gap}${lines.join('\n')}\n`)
  } catch (error) {
    throw new AgentEvalsError('report-unwritable', `Cannot write ${file}: ${messageOf(error)}`, { cause: error })
  }
}

function ignoreText(root: string): string {
  return tryReadText(join(root, '.gitignore')) ?? ''
}

// `/x/`, `x` and `**/x` are one line to the person who wrote it.
function bareLine(line: string): string {
  return line
    .trim()
    .replace(/^(?:\*\*\/|\/)|\/$/g, '')
    .replace(/\/$/, '')
}

const IGNORED = ['node_modules/', '.vitest/', '**/evals/reports/']

const CONFIGS = ['vitest.config', 'vite.config'].flatMap((name) =>
  ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs'].map((extension) => `${name}.${extension}`),
)

function read(file: string): string {
  return readTextFile(file)
}

/** A file that `init` writes unless it is there. */
export interface NewFile {
  /** Absolute path. */
  readonly file: string
  readonly text: string
}

/** A value as YAML: JSON is YAML, so that no text needs other quotes. */
export function yamlText(value: string): string {
  return /^[A-Za-z][\w ,./'-]*$/.test(value) && !value.endsWith(' ') ? value : JSON.stringify(value)
}

/** Path of one of the package's schemas from a file, as editors want it; the package may be installed further up. */
export function schemaPath(file: string, name: string): string {
  const folders = foldersUpwards(dirname(file))
  const isInstalled = (folder: string): boolean => existsSync(join(folder, INSTALLED))
  const home = folders.find(isInstalled) ?? folders.find((folder) => existsSync(join(folder, 'package.json')))
  const up = home === undefined ? '.' : pathFrom(dirname(file), home)
  return `${up === '' ? '.' : up}/${INSTALLED}/${name}.schema.json`
}

const INSTALLED = 'node_modules/vitest-agent-evals/schemas'

/** What the machine offers, one line each for people. */
interface Probed {
  readonly engines: readonly { readonly text: string; readonly isFound: boolean }[]
  readonly sandbox: string
  /** Whether something is missing without which nothing runs. */
  readonly isReady: boolean
}

/** Looks for the engines with these names and tries the sandbox, as a run does. */
export async function probeMachine(
  root: string,
  names: Iterable<string>,
  { engines: paths, engineModules }: Pick<ResolvedOptions, 'engineModules' | 'engines'>,
): Promise<Probed> {
  const environment = process.env
  const probe = async (name: string): Promise<Probed['engines'][number]> => {
    if (Object.hasOwn(engineModules, name)) return { text: `${name} (your own)`, isFound: true }
    return findEngine(name, { option: paths[name], environment, root }).then(
      ({ version }) => ({ text: `${name} ${version ?? '(unknown version)'}`, isFound: true }),
      (error: unknown) => ({ text: messageOf(error), isFound: false }),
    )
  }
  const engines = await Promise.all(Array.from(names, probe))
  const sandbox = await decideSandbox('auto', { environment, root }).then(
    ({ enforced, notice }) => notice ?? enforced,
    (error: unknown) => messageOf(error),
  )
  return { engines, sandbox, isReady: engines.every(({ isFound }) => isFound) }
}
