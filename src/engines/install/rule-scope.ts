import { valueAt } from '../../documents/document.ts'
import { readFrontMatter } from '../../documents/front-matter.ts'
import type { Rule } from '../../packages/package.ts'
import type { Installation } from '../engine.ts'
import { readTextFile } from '../../files.ts'

/** A rule with where it applies. */
export interface ScopedRule {
  /** The whole file. */
  readonly text: string
  /** The file below its front matter. */
  readonly body: string
  /** `none` when this engine is switched off for it. */
  readonly mode: 'always' | 'files' | 'intelligent' | 'manual' | 'none'
  /** Empty but for `files`. */
  readonly globs: readonly string[]
}

/** Reads a rule as it is for one engine; `key` is that engine's name below `agents` in the front matter. */
export function readRule({ file }: Rule, key: string): ScopedRule {
  const text = readTextFile(file)
  const { document, body, issues } = readFrontMatter(text, file)
  if (document === null || issues.length > 0) return { text, body: text, mode: 'always', globs: [] }

  const field = (...path: string[]): unknown => path.reduce<unknown>(valueAt, document.value)
  if (field('agents', key, 'enabled') === false) return { text, body, mode: 'none', globs: [] }
  const mode = field('apply', 'mode')
  const globs = mode === 'files' ? [field('apply', 'globs')].flat().filter((glob) => typeof glob === 'string') : []
  return { text, body, mode: MODES.find((known) => known === mode) ?? 'always', globs }
}

const MODES = ['files', 'intelligent', 'manual'] as const

/** What becomes of rules on one engine. */
export type InstalledRules = Pick<Installation, 'files' | 'warnings'>

/** Installs rules one by one. */
export function installEach(rules: readonly Rule[], install: (rule: Rule) => InstalledRules): InstalledRules {
  const installed = rules.map(install)
  return { files: installed.flatMap(({ files }) => files), warnings: installed.flatMap(({ warnings }) => warnings) }
}
