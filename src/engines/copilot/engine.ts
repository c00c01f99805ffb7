import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { wireOfModel } from '../../gateway/wires/apis.ts'
import { homeFolder, tryReadJson } from '../../lib/files.ts'
import { isJsonObject } from '../../lib/json.ts'
import type { OwnValue } from '../../recordings/messages.ts'
import type { EngineBase, ProgramEngine, ToolCalls, WrittenCall } from '../engine.ts'
import { resolveNativeProgram } from '../native-program.ts'
import { copilotCommand, install } from './install.ts'
import { RECORD_TABLE, traffic } from './record-table.ts'
import { createReader } from './stream.ts'

const calls: ToolCalls = {
  useSkill: (skill) => ({ tool: 'skill', input: { skill } }),
  readFile: (path) => ({ tool: 'view', input: { path: `\${WORKSPACE}/${path}` } }),
  writeFile: (path, content) => [
    ...(path.includes('/') ? [runCommand(`mkdir -p ${dirname(path)}`)] : []),
    { tool: 'create', input: { path: `\${WORKSPACE}/${path}`, file_text: content } },
  ],
  runCommand,
  findFiles: (pattern) => ({ tool: 'glob', input: { pattern } }),
}

function runCommand(command: string): WrittenCall {
  return { tool: 'bash', input: { command, description: 'Run a command' } }
}

function createCopilot(wire: EngineBase['wire']): ProgramEngine {
  return {
    name: 'copilot',
    executable: 'copilot',
    wire,
    // Of the wires that it knows the plain chat loses most: a stream that was cut may pass for an answer.
    forModel: (model) =>
      createCopilot(wireOfModel(model) === 'anthropic-messages' ? 'anthropic-messages' : 'openai-responses'),
    transport: 'tcp',
    // Its tools depend on the model: those of this one are plain functions.
    scenarioModel: 'claude-sonnet-4.6',
    resolveExecutable: copilotProgram,
    runtimeFiles: () => [],
    unpackedFolder,
    support: { oldest: '1.0.85', npmPackage: '@github/copilot', newerFlags: [] },
    versionArguments: ['--no-auto-update', '--version'],
    parseVersion: (stdout) => /(?<!\d)\d+\.\d+\.\d+(?:-[\w.]+)?/.exec(stdout)?.[0] ?? null,
    install,
    command: (request) => copilotCommand(request, wire),
    createReader,
    traffic,
    wordsAfter,
    recordTable: RECORD_TABLE,
    calls,
    resumes: true,
    ownValues,
    toolNames: TOOL_NAMES,
    askTools: ['ask_user'],
    ownPaths: ['.copilot', '.github/hooks', '.github/skills'],
    ownVariables: ['COPILOT_'],
    toolFolders: ['.copilot', '.github'],
    skillFolders: ['.github/skills'],
    unknownTool: /^Tool .* does not exist/m,
    refusal: /^Tool .* does not exist/m,
    instructionFiles: ['AGENTS.md', 'CLAUDE.md', 'GEMINI.md', 'copilot-instructions.md'],
  }
}

/** The native program behind npm's wrapper: a wrapper that is killed leaves it running. */
export function copilotProgram(file: string): string {
  const program = process.platform === 'win32' ? 'copilot.exe' : 'copilot'
  return resolveNativeProgram(
    file,
    platforms().map((platform) => `@github/copilot-${platform}/${program}`),
  )
}

/**
 * Where the program has unpacked itself: it does so once for each user, when it is first asked for its version. `null`
 * when it is unknown, and each run unpacks anew.
 */
export function unpackedFolder(
  executable: string,
  environment: Readonly<Record<string, string | undefined>>,
): string | null {
  const version = versionBeside(executable)
  if (version === null) return null
  const home = environment['HOME'] || homeFolder()
  const caches = environment['XDG_CACHE_HOME'] || (home === null ? null : join(home, '.cache'))
  if (caches === null) return null
  const folders = platforms().map((platform) => join(caches, 'copilot/pkg', platform, version))
  return folders.find((folder) => existsSync(join(folder, '.extraction-complete'))) ?? null
}

function versionBeside(executable: string): string | null {
  const manifest = tryReadJson(join(dirname(executable), 'package.json'))
  return isJsonObject(manifest) && typeof manifest['version'] === 'string' ? manifest['version'] : null
}

function platforms(): readonly string[] {
  const { platform, arch } = process
  return platform === 'linux' ? [`linux-${arch}`, `linuxmusl-${arch}`] : [`${platform}-${arch}`]
}

// What a tool printed may hold the same words, so only what follows the CLI's own end of it counts. Results of other
// tools have no such end.
function wordsAfter({ tool, text }: { readonly tool: string | null; readonly text: string }): string {
  const isCommand = tool === 'Bash'
  if (!isCommand && tool !== 'Write' && tool !== 'Edit') return ''
  const end = isCommand ? text.lastIndexOf('<shellId: ') : 0
  if (end < 0) return BLOCKED.test(text) ? text : ''
  const tail = text.slice(end)
  return BLOCKED.test(tail) ? tail : (GUIDANCE.exec(tail)?.[1] ?? '')
}

const BLOCKED = /^Tool result blocked: /
const GUIDANCE = /\nTool "\w+" \w+\. Additional guidance from postToolUse hooks:\n([^]*)$/

/** Its tools, by their names. */
const TOOL_NAMES: readonly string[] =
  'apply_patch ask_user bash create edit fetch_copilot_cli_documentation glob grep list_agents list_bash read_agent read_bash report_intent rg session_store_sql skill sql stop_bash store_memory task update_todo view web_fetch web_search write_agent write_bash'.split(
    ' ',
  )

const SUB_AGENTS = ['list_agents', 'read_agent', 'task', 'write_agent']

/** What Copilot writes into results itself. */
const ownValues: readonly OwnValue[] = [
  // Numbers of shells go by which of several calls came first.
  { tools: null, pattern: /\bshellId: (\d+)/ },
  { tools: SUB_AGENTS, pattern: /\b(?:duration|elapsed): ([\d.]+\w*)/ },
]

/** GitHub's Copilot CLI, run headless without an account: the gateway is a model provider of the user's own to it. */
export const copilot: ProgramEngine = createCopilot('anthropic-messages')
