import type { SkillTools } from '../stream/skill-signal.ts'
/** The name by which hooks know a tool of the CLI: the one of Claude Code, where it has such a tool. */
export function hookName(tool: string): string {
  return HOOK_NAMES.get(tool) ?? tool
}

/** A hook's matcher, in which the tools that hooks know by other names here have both. */
export function hookMatcher(matcher: string): string {
  return matcher
    .replaceAll(/\bSkill\b/g, '(?:Skill|skill)')
    .replaceAll(/\bmcp__(\w+?)__(?=[\w.(*[])/g, (found, server: string) => `(?:${found}|${server}-)`)
}

/** What a tool of an agent.yaml is called in an agent file; `null` when there is no such tool. */
export function toolAlias(tool: string): string | null {
  const mcp = /^mcp__([^]+?)__([^]+)$/.exec(tool)
  if (mcp !== null) return `${mcp[1]}/${mcp[2]}`
  const name = /^(\w+)\(.*\)$/.exec(tool)?.[1] ?? tool
  return ALIASES[name.toLowerCase().replaceAll(/[-.\s]/g, '_')] ?? null
}

const HOOK_NAMES = new Map([
  ['bash', 'Bash'],
  ['create', 'Write'],
  ['edit', 'Edit'],
  ['apply_patch', 'Edit'],
  ['view', 'Read'],
  ['grep', 'Grep'],
  ['rg', 'Grep'],
  ['glob', 'Glob'],
  ['task', 'Agent'],
])

const ALIASES: Readonly<Record<string, string>> = {
  file_read: 'read',
  read_file: 'read',
  read: 'read',
  file_write: 'edit',
  write_file: 'edit',
  write: 'edit',
  file_edit: 'edit',
  edit_file: 'edit',
  edit: 'edit',
  multiedit: 'edit',
  file_search: 'search',
  search: 'search',
  glob: 'search',
  grep: 'search',
  shell: 'execute',
  bash: 'execute',
  terminal: 'execute',
  execute: 'execute',
  web_fetch: 'web',
  webfetch: 'web',
  sub_agent: 'agent',
  agent: 'agent',
  task: 'agent',
  skill: 'skill',
}

/** The tools by which a model uses skills. */
export const SKILL_TOOLS: SkillTools = { use: 'skill', read: 'Read' }
