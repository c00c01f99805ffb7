import type { OwnValue } from '../../recordings/result-form.ts'

const SHELLS = ['exec_command', 'shell', 'shell_command', 'write_stdin']
const SUB_AGENTS = ['close_agent', 'list_agents', 'resume_agent', 'send_input', 'spawn_agent', 'wait', 'wait_agent']

/** What Codex writes into results itself, but for the lines before an output: those are no part of it. */
export const ownValues: readonly OwnValue[] = [
  { tools: SHELLS, pattern: /\bsession ID (\d+)/ },
  // Counts go by the length of paths.
  { tools: SHELLS, pattern: /…(\d+) (?:chars|tokens) truncated…/ },
  { tools: SUB_AGENTS, pattern: /"agent_id":"([^"]+)"/ },
  { tools: SUB_AGENTS, pattern: /"nickname":"([^"]*)"/ },
  { tools: SUB_AGENTS, pattern: /\b([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b/ },
]
