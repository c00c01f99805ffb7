import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type NewFile } from './new-file.ts'
import { foldersUpwards, readTextFile } from '../../files.ts'
import { appendText } from '../../write-atomically.ts'

/** The configuration of Vitest that a folder has. */
export interface FoundConfig {
  /** Its name. */
  readonly name: string
  /** Whether it names the plugin. */
  readonly isSet: boolean
  /** Whether it is written with `require` and `module.exports`. */
  readonly isCommonJs: boolean
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

/** Adds the lines for what runs leave to `.gitignore`; returns those that were missing. */
export function ignoreReports(root: string): readonly string[] {
  const file = join(root, '.gitignore')
  const isNew = !existsSync(file)
  const text = isNew ? '' : read(file)
  const known = new Set(text.split('\n').map((line) => line.trim().replace(/^\/|\/$/g, '')))
  const missing = [...(isNew ? ['node_modules/'] : []), ...IGNORED].filter(
    (line) => !known.has(line.replace(/^\/|\/$/g, '')),
  )
  if (missing.length === 0) return []
  const gap = text === '' || text.endsWith('\n') ? '' : '\n'
  appendText(file, `${gap}${missing.join('\n')}\n`)
  return missing
}

const IGNORED = ['.vitest/', '**/evals/reports/']

const CONFIGS = ['vitest.config', 'vite.config'].flatMap((name) =>
  ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs'].map((extension) => `${name}.${extension}`),
)

function read(file: string): string {
  return readTextFile(file)
}
