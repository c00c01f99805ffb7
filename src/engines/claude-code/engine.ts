import { CLAUDE_VARIABLES } from '../../packages/package-root.ts'
import type { OwnValue } from '../../recordings/messages.ts'
import type { ProgramEngine, ToolCalls } from '../engine.ts'
import type { HookRuntime } from '../hooks/hook-plan.ts'
import { resolveNativeProgram } from '../native-program.ts'
import { buildCommand, dialogue } from './command.ts'
import { firstTurn } from './first-turn.ts'
import { install } from './install.ts'
import { MOD_LOG, readMods } from './mod.ts'
import { MORE_TOOLS, NATIVE, RECORD_TABLE, traffic } from './record-table.ts'
import { createReader } from './stream.ts'

/** The native program behind whatever an installer has put on PATH. */
export function resolveExecutable(file: string): string {
  const name = `@anthropic-ai/claude-code-${process.platform}-${process.arch}`
  const program = process.platform === 'win32' ? 'claude.exe' : 'claude'
  return resolveNativeProgram(
    file,
    ['', '-musl'].map((libc) => `${name}${libc}/${program}`),
  )
}

const hookRuntime: HookRuntime = {
  title: 'Claude Code',
  fields: { permission_mode: 'default' },
  toolCall: () => ({}),
  variables: (packageRoot) => ({ CLAUDE_PROJECT_DIR: packageRoot }),
}

const SUB_AGENTS = ['Agent', 'Task']
const BACKGROUND = ['AgentOutputTool', 'BashOutput', 'KillShell', 'TaskOutput', 'TaskStop']

/** What Claude Code writes into results itself: 2.1.150 to 2.1.330. */
const ownValues: readonly OwnValue[] = [
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

/** The calls of its tools. */
export const calls: ToolCalls = {
  useSkill: (skill) => ({ tool: 'Skill', input: { skill } }),
  readFile: (path) => ({ tool: 'Read', input: { file_path: `\${WORKSPACE}/${path}` } }),
  writeFile: (path, content) => [{ tool: 'Write', input: { file_path: `\${WORKSPACE}/${path}`, content } }],
  runCommand: (command) => ({ tool: 'Bash', input: { command, description: 'Run a command' } }),
  findFiles: (pattern) => ({ tool: 'Glob', input: { pattern } }),
}

/** Claude Code, run headless as `claude -p`. */
export const claudeCode: ProgramEngine = {
  name: 'claude-code',
  executable: 'claude',
  wire: 'anthropic-messages',
  defaultModel: 'opus',
  transport: 'socket',
  resolveExecutable,
  // One native program that brings everything with it.
  runtimeFiles: () => [],
  support: {
    oldest: '2.1.150',
    npmPackage: '@anthropic-ai/claude-code',
    newerFlags: [
      {
        flag: '--forward-subagent-text',
        since: '2.1.211',
        lost: 'The transcript lacks what sub-agents write; their tool calls are in it.',
      },
    ],
  },
  // Of Claude Code an optional package is the program itself.
  installNote: 'with its optional and install scripts on',
  versionArguments: ['--version'],
  parseVersion: (stdout) => /(?<!\d)\d+\.\d+\.\d+[\w.+-]*/.exec(stdout)?.[0] ?? null,
  install,
  command: buildCommand,
  createReader,
  mods: { log: MOD_LOG, read: readMods },
  firstTurn,
  traffic,
  // Tools of the API itself are in the answer in another shape.
  recordTable: RECORD_TABLE,
  dialogue,
  resumes: true,
  resumesTranscripts: true,
  loadsPlugins: true,
  commandOf: (prompt) => /^\s*\/(?:[\w.-]+:)?([\w.-]+)(?=\s|$)/.exec(prompt)?.[1] ?? null,
  calls,
  ownValues,
  toolNames: [...NATIVE, ...MORE_TOOLS],
  askTools: ['AskUserQuestion'],
  ownPaths: ['.claude', '.claude.json', '.mcp.json'],
  ownVariables: CLAUDE_VARIABLES,
  toolFolders: ['.claude'],
  skillFolders: ['.claude/skills'],
  instructionFiles: ['CLAUDE.md'],
  readAbove: ['CLAUDE.md', 'CLAUDE.local.md', '.claude', '.mcp.json'],
  unknownTool: /^(?:<\w+>)?Error: No such tool available: /m,
  refusal: /^(?:<\w+>)?Error: No such tool available: /m,
  hookRuntime,
}
