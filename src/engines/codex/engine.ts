import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isJsonObject, stringOf, type JsonObject, type JsonValue } from '../../lib/json.ts'
import type { OwnValue } from '../../recordings/messages.ts'
import type { ProgramEngine, WrittenCall } from '../engine.ts'
import type { HookRuntime } from '../hooks/hook-plan.ts'
import { resolveNativeProgram } from '../native-program.ts'
import { codexCommand } from './command.ts'
import { install } from './install.ts'
import { RECORD_TABLE, traffic } from './record-table.ts'
import { createReader } from './stream.ts'

/** The native program behind npm's wrapper: a wrapper that is killed leaves it running. */
function codexProgram(file: string): string {
  const target = TARGETS[`${process.platform}-${process.arch}`] ?? ''
  const program = process.platform === 'win32' ? 'codex.exe' : 'codex'
  const name = `@openai/codex-${process.platform}-${process.arch}/vendor/${target}`
  // Older versions keep it in a folder of its own name.
  return resolveNativeProgram(file, [`${name}/bin/${program}`, `${name}/codex/${program}`])
}

/** Programs beside the program that it starts: the host of its JavaScript tools, and its own search program. */
function runtimeFiles(executable: string): readonly string[] {
  const folder = dirname(executable)
  return [
    join(folder, 'codex-code-mode-host'),
    ...['codex-package.json', 'codex-path', 'path'].map((name) => join(dirname(folder), name)),
  ].filter((file) => existsSync(file))
}

const TARGETS: Readonly<Record<string, string>> = {
  'linux-x64': 'x86_64-unknown-linux-musl',
  'linux-arm64': 'aarch64-unknown-linux-musl',
  'darwin-x64': 'x86_64-apple-darwin',
  'darwin-arm64': 'aarch64-apple-darwin',
  'win32-x64': 'x86_64-pc-windows-msvc',
  'win32-arm64': 'aarch64-pc-windows-msvc',
}

const COMMAND_ENDED = /^Process (?:exited|running) with /

/** Codex knows a shell, one tool that changes files, and those of MCP servers. */
const hookRuntime: HookRuntime = {
  title: 'Codex',
  fields: { turn_id: '1', model: 'gpt-5', permission_mode: 'bypassPermissions' },
  toolCall: (name, input) => codexTool(name, input) ?? `Codex has no tool ${JSON.stringify(name)}`,
  variables: () => ({}),
}

function codexTool(name: JsonValue | undefined, input: JsonValue | undefined): JsonObject | null {
  if (typeof name !== 'string' || name === 'Bash' || name === 'apply_patch' || name.startsWith('mcp__')) return {}
  const fields = isJsonObject(input) ? input : {}
  const file = stringOf(fields['file_path'])
  if (name === 'Write') return patch(`*** Add File: ${file}`, lines('+', stringOf(fields['content'])))
  if (name !== 'Edit') return null
  const changes = [...lines('-', stringOf(fields['old_string'])), ...lines('+', stringOf(fields['new_string']))]
  return patch(`*** Update File: ${file}`, ['@@', ...changes])
}

function patch(header: string, body: readonly string[]): JsonObject {
  return { tool_name: 'apply_patch', tool_input: { command: patchText(header, body) } }
}

function patchText(header: string, body: readonly string[]): string {
  return ['*** Begin Patch', header, ...body, '*** End Patch'].join('\n')
}

function runCommand(cmd: string): WrittenCall {
  return { tool: 'exec_command', input: { cmd } }
}

function lines(mark: string, text: string): readonly string[] {
  return text.split('\n').map((line) => `${mark}${line}`)
}

/** Its tools, by their names. */
const TOOL_NAMES: readonly string[] =
  'apply_patch close_agent create_goal exec exec_command get_goal list_agents list_mcp_resource_templates list_mcp_resources read_mcp_resource request_user_input resume_agent send_input shell shell_command spawn_agent tool_search update_goal update_plan view_image wait wait_agent web_search write_stdin'.split(
    ' ',
  )

const SHELLS = ['exec_command', 'shell', 'shell_command', 'write_stdin']
const SUB_AGENTS = ['close_agent', 'list_agents', 'resume_agent', 'send_input', 'spawn_agent', 'wait', 'wait_agent']

/** What Codex writes into results itself, but for the lines before an output: those are no part of it. */
const ownValues: readonly OwnValue[] = [
  { tools: SHELLS, pattern: /\bsession ID (\d+)/ },
  // Counts go by the length of paths.
  { tools: SHELLS, pattern: /…(\d+) (?:chars|tokens) truncated…/ },
  { tools: SUB_AGENTS, pattern: /"agent_id":"([^"]+)"/ },
  { tools: SUB_AGENTS, pattern: /"nickname":"([^"]*)"/ },
  { tools: SUB_AGENTS, pattern: /\b([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b/ },
]

/** OpenAI's Codex, run headless as `codex exec`. */
export const codex: ProgramEngine = {
  name: 'codex',
  executable: 'codex',
  wire: 'openai-responses',
  transport: 'tcp',
  defaultModel: 'gpt-6.1-sol',
  // Its tools depend on the model: those of this one are plain functions.
  scenarioModel: 'gpt-5.5',
  resolveExecutable: codexProgram,
  runtimeFiles,
  support: { oldest: '0.150.0', npmPackage: '@openai/codex', newerFlags: [] },
  versionArguments: ['--version'],
  parseVersion: (stdout) => /(?<!\d)\d+\.\d+\.\d+[\w.+-]*/.exec(stdout)?.[0] ?? null,
  install,
  command: codexCommand,
  // Each session that is kept takes longer.
  resumesKept: true,
  createReader,
  traffic,
  // A hook's words stand in the place of what the command printed, without the line that Codex puts before that.
  wordsAfter: ({ tool, text }) => (tool === 'Bash' && !COMMAND_ENDED.test(text) ? text : ''),
  // Its calls and results are numbered in its own way: the gateway's are taken instead.
  recordTable: RECORD_TABLE,
  calls: {
    useSkill: (name) => runCommand(`cat .agents/skills/${name}/SKILL.md`),
    readFile: (path) => runCommand(`cat ${path}`),
    writeFile: (path, content) => [
      { tool: 'apply_patch', input: patchText(`*** Add File: ${path}`, lines('+', content)) },
    ],
    runCommand,
  },
  ownValues,
  toolNames: TOOL_NAMES,
  askTools: ['request_user_input'],
  ownPaths: ['.agents', '.codex'],
  ownVariables: ['CODEX_', 'OPENAI_'],
  toolFolders: ['.agents', '.codex'],
  skillFolders: ['.agents/skills'],
  instructionFiles: ['AGENTS.md'],
  readAbove: ['AGENTS.md', '.agents', '.codex'],
  unknownTool: /^unsupported call: /m,
  refusal: /^(?:unsupported call: |bwrap: )|codex-linux-sandbox/m,
  nestedSandbox: /^bwrap: .*\b(?:namespaces?|nesting|uid map)\b.*/m,
  hookRuntime,
}
