import type { SkillTools } from '../stream/skill-signal.ts'
/** What a tool of an agent.yaml is called in Claude Code; empty when there is no such tool. */
export function nativeTools(tool: string): readonly string[] {
  if (/^mcp__\w/.test(tool)) return [tool]
  const name = /^(\w+)\(.*\)$/.exec(tool)?.[1] ?? tool
  if (NATIVE.has(name)) return [tool]
  return UNIVERSAL[tool.toLowerCase().replaceAll(/[-.\s]/g, '_')] ?? []
}

const UNIVERSAL: Readonly<Record<string, readonly string[]>> = {
  file_read: ['Read'],
  read_file: ['Read'],
  read: ['Read'],
  file_write: ['Write', 'Edit'],
  write_file: ['Write', 'Edit'],
  write: ['Write', 'Edit'],
  file_edit: ['Edit'],
  edit_file: ['Edit'],
  edit: ['Edit'],
  file_search: ['Glob', 'Grep'],
  search: ['Glob', 'Grep'],
  glob: ['Glob'],
  grep: ['Grep'],
  shell: ['Bash'],
  bash: ['Bash'],
  terminal: ['Bash'],
  web_fetch: ['WebFetch'],
  web_search: ['WebSearch'],
  sub_agent: ['Agent'],
}

/** Its tools, by their names. */
export const NATIVE: ReadonlySet<string> = new Set(
  'Agent Bash Edit Glob Grep LS MultiEdit NotebookEdit NotebookRead Read Skill Task TodoWrite ToolSearch WebFetch WebSearch Write'.split(
    ' ',
  ),
)

/** Further tools of its versions, which a matcher of a hook may name. */
export const MORE_TOOLS: readonly string[] =
  'AskUserQuestion BashOutput CronCreate CronDelete CronList EnterPlanMode EnterWorktree ExitPlanMode ExitWorktree KillBash KillShell LSP ListAgents ListMcpResourcesTool Monitor ReadMcpResourceTool RemoteTrigger ReportFindings ScheduleWakeup SendMessage SlashCommand TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate Workflow'.split(
    ' ',
  )

/** The tools by which a model uses skills. */
export const SKILL_TOOLS: SkillTools = { use: 'Skill', read: 'Read' }
