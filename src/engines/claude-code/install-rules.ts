import { readFileSync } from 'node:fs'
import { valueAt } from '../../suites/document/document.ts'
import { readFrontMatter } from '../../suites/document/front-matter.ts'
import { withFrontMatter } from './front-matter.ts'
import type { Rule } from '../../suites/package.ts'
import type { Installation } from '../engine.ts'

type Installed = Pick<Installation, 'files' | 'warnings'>

/** Rules as `.claude/rules/<name>/RULE.md`; where a rule applies is said by `paths` there, by `apply` in the package. */
export function installRules(rules: readonly Rule[]): Installed {
  const installed = rules.map(installRule)
  return { files: installed.flatMap(({ files }) => files), warnings: installed.flatMap(({ warnings }) => warnings) }
}

function installRule({ name, file }: Rule): Installed {
  const text = readFileSync(file, 'utf8')
  const { document, body, issues } = readFrontMatter(text, file)
  const to = `.claude/rules/${name}/RULE.md`
  if (document === null || issues.length > 0) return { files: [{ to, content: text }], warnings: [] }

  const field = (...path: string[]): unknown => path.reduce<unknown>(valueAt, document.value)
  if (field('agents', 'claude', 'enabled') === false) return NOTHING
  const mode = field('apply', 'mode')
  if (mode === 'manual')
    return {
      ...NOTHING,
      warnings: [`${file}: the rule applies only when it is named; Claude Code has no such rules, so it is left out.`],
    }

  const globs = mode === 'files' ? [field('apply', 'globs')].flat().filter((glob) => typeof glob === 'string') : []
  const content = globs.length === 0 ? text : withFrontMatter({ paths: globs }, body)
  const warnings =
    mode === 'intelligent' ? [`${file}: Claude Code has no rules that the agent chooses, so it always applies.`] : []
  return { files: [{ to, content }], warnings }
}

const NOTHING: Installed = { files: [], warnings: [] }
