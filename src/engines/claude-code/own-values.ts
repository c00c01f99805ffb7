import type { OwnValue } from '../../recordings/result-form.ts'

const SUB_AGENTS = ['Agent', 'Task']
const BACKGROUND = ['AgentOutputTool', 'BashOutput', 'KillShell', 'TaskOutput', 'TaskStop']

/** What Claude Code writes into results itself: 2.1.150 to 2.1.330. */
export const ownValues: readonly OwnValue[] = [
  { tools: SUB_AGENTS, pattern: /\bagentId: (\w+)/ },
  { tools: SUB_AGENTS, pattern: /\bto: '(\w+)'/ },
  { tools: SUB_AGENTS, pattern: /^output_file: (.+)$/ },
  { tools: SUB_AGENTS, pattern: /^(?:<usage>)?(?:subagent|total)_tokens: (\d+)/ },
  { tools: SUB_AGENTS, pattern: /^duration_ms: (\d+)/ },
  { tools: ['SendMessage'], pattern: /\b(a[0-9a-f]{16})\b/ },
  { tools: ['Bash'], pattern: /\bID: (\w+)\)?\. Output is being written to: (.+?\.output)\b/ },
  { tools: BACKGROUND, pattern: /<(?:task_id|timestamp|output_file)>([^<]+)</ },
  { tools: BACKGROUND, pattern: /"(?:task_id|shell_id)": ?"(\w+)"/ },
  { tools: BACKGROUND, pattern: /\btask:? (\w+)\b/i },
  // Its folder is named by the session and the path of the workspace.
  { tools: null, pattern: /\bOutput too large \([^)]+\)\. Full output saved to: (.+)$/ },
]
