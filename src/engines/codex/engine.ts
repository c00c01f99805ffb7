import { codexCommand } from './command.ts'
import { codexProgram, runtimeFiles } from './program.ts'
import { install } from './install.ts'
import { HOOK_COVERAGE } from './hook-coverage.ts'
import { hookRuntime } from './hook-runtime.ts'
import { RECORD_TABLE } from './record-table.ts'
import { createReader } from './stream.ts'
import { traffic } from './traffic.ts'
import { ownValues } from './own-values.ts'
import type { ProgramEngine } from '../engine.ts'

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
  createReader,
  traffic,
  hookCoverage: HOOK_COVERAGE,
  // Its calls and results are numbered in its own way: the gateway's are taken instead.
  recordTable: RECORD_TABLE,
  useSkill: (name) => ({ tool: 'exec_command', input: { cmd: `cat .agents/skills/${name}/SKILL.md` } }),
  ownValues,
  askTools: ['request_user_input'],
  ownPaths: ['.agents', '.codex'],
  ownVariables: ['CODEX_', 'OPENAI_'],
  toolFolders: ['.agents', '.codex'],
  skillFolders: ['.agents/skills'],
  instructionFiles: ['AGENTS.md'],
  readAbove: ['AGENTS.md', '.agents', '.codex'],
  modelFolders: ['.codex', '.agents'],
  unknownTool: /^unsupported call: /m,
  refusal: /^(?:unsupported call: |bwrap: )|codex-linux-sandbox/m,
  nestedSandbox: /^bwrap: .*\b(?:namespaces?|nesting|uid map)\b.*/m,
  hookRuntime,
}
