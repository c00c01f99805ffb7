import { readRule } from '../install/rule-scope.ts'
import type { Rule } from '../../packages/package.ts'

/**
 * Rules as one text for the AGENTS.md of the CLI's home, which it puts before the project's own; `null` when there are
 * none. Codex has no rules of its own.
 */
export function foldRules(rules: readonly Rule[]): {
  readonly text: string | null
  readonly warnings: readonly string[]
} {
  const folded = rules.map(foldRule)
  const texts = folded.flatMap(({ text }) => (text === null ? [] : [text]))
  return {
    text: texts.length === 0 ? null : `${texts.join('\n\n')}\n`,
    warnings: folded.flatMap(({ warning }) => (warning === null ? [] : [warning])),
  }
}

function foldRule(rule: Rule): { readonly text: string | null; readonly warning: string | null } {
  const { body, mode, globs } = readRule(rule, 'codex')
  const text = body.trim()
  switch (mode) {
    case 'none':
      return { text: null, warning: null }
    case 'manual':
      return {
        text: null,
        warning: `${rule.file}: the rule applies only when it is named; Codex has no such rules, so it is omitted.`,
      }
    case 'files':
      return {
        text: `For files that match ${globs.join(', ')}:\n\n${text}`,
        warning: `${rule.file}: Codex has no rules for some files, so it is part of the instructions.`,
      }
    case 'intelligent':
      return {
        text,
        warning: `${rule.file}: Codex has no rules that the agent chooses, so it always applies.`,
      }
    case 'always':
      return { text, warning: null }
  }
}
