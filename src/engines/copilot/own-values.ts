import type { OwnValue } from '../../recordings/result-form.ts'

const SUB_AGENTS = ['list_agents', 'read_agent', 'task', 'write_agent']

/** What Copilot writes into results itself. */
export const ownValues: readonly OwnValue[] = [
  // Numbers of shells go by which of several calls came first.
  { tools: null, pattern: /\bshellId: (\d+)/ },
  { tools: SUB_AGENTS, pattern: /\b(?:duration|elapsed): ([\d.]+\w*)/ },
]
