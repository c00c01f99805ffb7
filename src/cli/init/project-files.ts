import { existsSync } from 'node:fs'
import { join } from 'node:path'
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
import { decideSandbox } from '../../sandbox/decide.ts'
import type { NewFile } from './new-files.ts'

/** The configuration of Vitest that a folder has. */
interface FoundConfig {
  /** Its name. */
  readonly name: string
  /** Whether it names the plugin. */
  readonly isSet: boolean
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
  return name === undefined ? null : { name, isSet: readTextFile(join(root, name)).includes('vitest-agent-evals') }
}

const CONFIGS = ['vitest.config', 'vite.config'].flatMap((name) =>
  ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs'].map((extension) => `${name}.${extension}`),
)

/** A configuration of Vitest with the plugin. Where packages are CommonJS, only `.mts` may import an ES module. */
export function newConfig(root: string): NewFile {
  const text = [
    "import { agentEvals } from 'vitest-agent-evals'",
    "import { defineConfig } from 'vitest/config'",
    '',
    'export default defineConfig({ plugins: [agentEvals()] })',
    '',
  ].join('\n')
  const manifest = foldersUpwards(root).find((folder) => existsSync(join(folder, 'package.json')))
  const isModule = manifest !== undefined && /"type"\s*:\s*"module"/.test(readTextFile(join(manifest, 'package.json')))
  return { file: join(root, isModule ? 'vitest.config.ts' : 'vitest.config.mts'), text }
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

/** What the machine offers, in a sentence each. */
interface Probed {
  readonly engines: readonly { readonly text: string; readonly isFound: boolean }[]
  readonly sandbox: string
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
  const sandbox = decideSandbox('auto', { environment, root }).then(
    ({ enforced, notice }) => notice ?? enforced,
    (error: unknown) => messageOf(error),
  )
  return { engines: await Promise.all(Array.from(names, probe)), sandbox: await sandbox }
}
