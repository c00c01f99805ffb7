import { installEach, readRule, type InstalledRules } from '../install/rule-scope.ts'
import { withFrontMatter } from '../install/front-matter.ts'
import type { Rule } from '../../packages/package.ts'

/** Rules as `.claude/rules/<name>/RULE.md`; `paths` there and `apply` in the package say where a rule applies. */
export function installRules(rules: readonly Rule[]): InstalledRules {
  return installEach(rules, installRule)
}

function installRule(rule: Rule): InstalledRules {
  const { text, body, mode, globs } = readRule(rule, 'claude')
  if (mode === 'none') return { files: [], warnings: [] }
  if (mode === 'manual') {
    const warning = `${rule.file}: the rule applies only when it is named; Claude Code has no such rules, so it is omitted.`
    return { files: [], warnings: [warning] }
  }

  const content = globs.length === 0 ? text : withFrontMatter({ paths: globs }, body)
  const warnings =
    mode === 'intelligent'
      ? [`${rule.file}: Claude Code has no rules that the agent chooses, so it always applies.`]
      : []
  return { files: [{ to: `.claude/rules/${rule.name}/RULE.md`, content }], warnings }
}
