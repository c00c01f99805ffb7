import { join } from 'node:path'
import { claudeExecutable } from '../engines.ts'
import { codexFolder, copilotVariables } from '../other-engines.ts'
import { bash, write, type WrittenTool, type WrittenTurn } from '../package-run.ts'

/**
 * How a model speaks to one engine: the same moves of a story, in the words of its tools.
 *
 * An engine joins the tables by an entry in {@link ENGINES} and a column in the two tables of docs/conformance.md. Its
 * stories must then come out as those of all others do; what it cannot do stands in `cannot`, in the product's words.
 */
export interface ConformingEngine {
  readonly name: string
  /** Absolute path of its program, which is installed first where it is not; `null` where it cannot be. */
  program(): Promise<string | null>
  /** Variables that its program needs besides. */
  variables?(): Promise<Readonly<Record<string, string>>>
  /** A call that runs a command. */
  shell(command: string): WrittenTool
  /** A call that runs a command and waits for its end, however late. */
  waitFor(command: string): WrittenTool
  /** A call that waits only for a moment for its command. */
  outlive(command: string): WrittenTool
  /** A call that shows the model an image. */
  look(path: string): WrittenTool
  /** A call that uses a skill of the package. */
  skill(name: string): WrittenTool
  /** Turns that give a task to a sub-agent and wait for its answer; `turns` are the sub-agent's. */
  delegate(prompt: string, turns: readonly WrittenTurn[]): readonly WrittenTurn[]
  /** Turns that call a tool of an MCP server. */
  serverTool(server: string, tool: string, input?: object): readonly WrittenTurn[]
  /** A call that its own permissions refuse where no sandbox is around it. */
  readonly forbidden: WrittenTool
  /** Tools of the transcript by which it gets at others or waits for them: no part of what a story is about. */
  readonly detours: readonly string[]
  /** Tools of the transcript that start a sub-agent. */
  readonly delegates: readonly string[]
  /** Model of its live runs; `null` for its own. */
  readonly liveModel: string | null
  /** Stories that it cannot play, with the reason that the report gives. */
  readonly cannot: Readonly<Record<string, string>>
}

/** Variables with which a run finds the program of an engine. */
export async function variablesFor(
  engine: ConformingEngine,
  program: string,
): Promise<Readonly<Record<string, string>>> {
  return { ...(await engine.variables?.()), AGENT_EVALS_ENGINES: program.slice(0, program.indexOf('/node_modules/')) }
}

/** All engines that are held to the same stories. */
export const ENGINES: readonly ConformingEngine[] = [
  {
    name: 'claude-code',
    program: () => Promise.resolve(claudeExecutable()),
    shell: bash,
    waitFor: bash,
    outlive: (command) => ({ name: 'Bash', input: { command, description: 'Run it', timeout: 1000 } }),
    look: (path) => ({ name: 'Read', input: { file_path: path } }),
    skill: (skill) => ({ name: 'Skill', input: { skill } }),
    delegate: (prompt, turns) => [
      { tools: [{ name: 'Agent', input: { description: 'Help', prompt, subagent_type: 'general-purpose' }, turns }] },
    ],
    serverTool: (server, tool, input = {}) => [{ tools: [{ name: `mcp__${server}__${tool}`, input }] }],
    forbidden: write('/etc/forbidden-by-no-hook.txt'),
    detours: ['ToolSearch'],
    delegates: ['Agent'],
    liveModel: null,
    cannot: {},
  },
  {
    name: 'codex',
    program: async () => join(await codexFolder(), 'node_modules/.bin/codex'),
    shell: (cmd) => ({ name: 'exec_command', input: { cmd } }),
    // Without the time it goes on after ten seconds, beside the command.
    waitFor: (cmd) => ({ name: 'exec_command', input: { cmd, yield_time_ms: 600_000 } }),
    outlive: (cmd) => ({ name: 'exec_command', input: { cmd, yield_time_ms: 500 } }),
    look: (path) => ({ name: 'view_image', input: { path } }),
    skill: (name) => ({ name: 'exec_command', input: { cmd: `cat .agents/skills/${name}/SKILL.md` } }),
    delegate: (message, turns) => [
      { tools: [{ name: 'tool_search', input: { query: 'spawn an agent and wait for it', limit: 5 } }] },
      { tools: [{ name: 'multi_agent_v1.spawn_agent', input: { message, fork_context: false }, turns }] },
      { tools: [{ name: 'multi_agent_v1.wait_agent', input: { targets: ['${LAST_ID}'] } }] },
    ],
    serverTool: (server, tool, input = {}) => [
      { tools: [{ name: 'tool_search', input: { query: tool, limit: 1 } }] },
      { tools: [{ name: `mcp__${server}.${tool}`, input }] },
    ],
    forbidden: { name: 'exec_command', input: { cmd: 'rm -rf forbidden-by-no-hook' } },
    detours: ['tool_search', 'wait_agent'],
    delegates: ['spawn_agent'],
    // Its own may be too new to have a price.
    liveModel: 'gpt-5.5',
    cannot: {},
  },
  {
    name: 'copilot',
    program: async () => join((await copilotVariables()).AGENT_EVALS_ENGINES, 'node_modules/.bin/copilot'),
    variables: async () => ({ XDG_CACHE_HOME: (await copilotVariables()).XDG_CACHE_HOME }),
    shell: (command) => ({ name: 'bash', input: { command, description: 'Run it' } }),
    // Without the time it goes on after thirty seconds, beside the command.
    waitFor: (command) => ({ name: 'bash', input: { command, description: 'Wait', initial_wait: 600 } }),
    outlive: (command) => ({ name: 'bash', input: { command, description: 'Run it', initial_wait: 1 } }),
    look: (path) => ({ name: 'view', input: { path } }),
    skill: (skill) => ({ name: 'skill', input: { skill } }),
    delegate: (prompt, turns) => {
      const input = { name: 'helper', description: 'Help', prompt, agent_type: 'general-purpose', mode: 'sync' }
      return [{ tools: [{ name: 'task', input, turns }] }]
    },
    serverTool: (server, tool, input = {}) => [{ tools: [{ name: `${server}-${tool}`, input }] }],
    forbidden: { name: 'create', input: { path: '/etc/forbidden-by-no-hook.txt', file_text: 'x' } },
    detours: [],
    delegates: ['Agent'],
    // It has none of its own.
    liveModel: 'claude-sonnet-4.6',
    cannot: {},
  },
]
