import { buildCommand } from './command.ts'
import { resolveExecutable } from './executable.ts'
import { firstTurn } from './first-turn.ts'
import { install } from './install.ts'
import { HOOK_COVERAGE } from './hook-coverage.ts'
import { RECORD_TABLE } from './record-table.ts'
import { hookRuntime } from './hook-runtime.ts'
import { createReader } from './stream.ts'
import { MORE_TOOLS, NATIVE } from './tool-names.ts'
import { traffic } from './traffic.ts'
import { ownValues } from './own-values.ts'
import type { ProgramEngine, SkillCall } from '../engine.ts'

/** The call of its tool for skills. */
export function useSkill(name: string): SkillCall {
  return { tool: 'Skill', input: { skill: name } }
}

/** Claude Code, run headless as `claude -p`. */
export const claudeCode: ProgramEngine = {
  name: 'claude-code',
  executable: 'claude',
  wire: 'anthropic-messages',
  defaultModel: 'opus',
  ownModels: ['haiku'],
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
  firstTurn,
  traffic,
  hookCoverage: HOOK_COVERAGE,
  // Tools of the API itself are in the answer in another shape.
  recordTable: RECORD_TABLE,
  resumes: true,
  resumesTranscripts: true,
  loadsPlugins: true,
  commandOf: (prompt) => /^\s*\/(?:[\w.-]+:)?([\w.-]+)(?=\s|$)/.exec(prompt)?.[1] ?? null,
  useSkill,
  ownValues,
  toolNames: [...NATIVE, ...MORE_TOOLS],
  askTools: ['AskUserQuestion'],
  ownPaths: ['.claude', '.claude.json', '.mcp.json'],
  ownVariables: ['ANTHROPIC_', 'CLAUDE_', 'CLAUDECODE'],
  toolFolders: ['.claude'],
  skillFolders: ['.claude/skills'],
  instructionFiles: ['CLAUDE.md'],
  readAbove: ['CLAUDE.md', 'CLAUDE.local.md', '.claude', '.mcp.json'],
  modelFolders: ['.claude'],
  unknownTool: /^(?:<\w+>)?Error: No such tool available: /m,
  refusal: /^(?:<\w+>)?Error: No such tool available: /m,
  litter: ['.claude/.cc-writes'],
  hookRuntime,
}
