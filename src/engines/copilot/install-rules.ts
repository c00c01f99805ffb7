import { fileNameOf } from '../install/file-name.ts'
import { withFrontMatter } from '../install/front-matter.ts'
import { installEach, readRule, type InstalledRules } from '../install/rule-scope.ts'
import type { Rule } from '../../packages/package.ts'

/** Rules as `.github/instructions/<name>.instructions.md`; one for some files is read by the agent when it needs it. */
export function installRules(rules: readonly Rule[]): InstalledRules {
  return installEach(rules, installRule)
}

function installRule(rule: Rule): InstalledRules {
  const { body, mode, globs } = readRule(rule, 'copilot')
  if (mode === 'none') return { files: [], warnings: [] }
  if (mode === 'manual') {
    const warning = `${rule.file}: the rule applies only when it is named; Copilot has no such rules, so it is omitted.`
    return { files: [], warnings: [warning] }
  }
  const content = globs.length === 0 ? body.trimStart() : withFrontMatter({ applyTo: globs.join(',') }, body)
  const warnings =
    mode === 'intelligent' ? [`${rule.file}: Copilot has no rules that the agent chooses, so it always applies.`] : []
  return { files: [{ to: `.github/instructions/${fileNameOf(rule.name)}.instructions.md`, content }], warnings }
}
