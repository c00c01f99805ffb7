import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { foldersUpwards, type NewFile } from './new-file.ts'

/** The configuration of Vitest that a folder has. */
export interface FoundConfig {
  /** Its name. */
  readonly name: string
  /** Whether it names the plugin. */
  readonly isSet: boolean
}

/** Finds the configuration of Vitest in a folder; `null` when there is none. */
export function findConfig(root: string): FoundConfig | null {
  const name = CONFIGS.find((one) => existsSync(join(root, one)))
  return name === undefined ? null : { name, isSet: read(join(root, name)).includes('vitest-agent-evals') }
}

/** A configuration of Vitest with the plugin. Where packages are CommonJS, only `.mts` may import an ES module. */
export function newConfig(root: string): NewFile {
  const manifest = foldersUpwards(root).find((folder) => existsSync(join(folder, 'package.json')))
  const isModule = manifest !== undefined && /"type"\s*:\s*"module"/.test(read(join(manifest, 'package.json')))
  const text = [
    "import { agentEvals } from 'vitest-agent-evals'",
    "import { defineConfig } from 'vitest/config'",
    '',
    'export default defineConfig({ plugins: [agentEvals()] })',
    '',
  ].join('\n')
  return { file: join(root, isModule ? 'vitest.config.ts' : 'vitest.config.mts'), text }
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
  writeFileSync(file, `${text}${gap}${missing.join('\n')}\n`)
  return missing
}

const IGNORED = ['.vitest/', '**/evals/reports/']

const CONFIGS = ['vitest.config', 'vite.config'].flatMap((name) =>
  ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs'].map((extension) => `${name}.${extension}`),
)

function read(file: string): string {
  return readFileSync(file, 'utf8')
}
