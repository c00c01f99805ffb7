import { wireOfModel } from '../../gateway/wires/apis.ts'
import { copilotCommand } from './command.ts'
import { install } from './install.ts'
import { ownValues } from './own-values.ts'
import { copilotProgram, unpackedFolder } from './program.ts'
import { HOOK_COVERAGE } from './hook-coverage.ts'
import { RECORD_TABLE } from './record-table.ts'
import { createReader } from './stream.ts'
import { traffic } from './traffic.ts'
import type { EngineBase, ProgramEngine } from '../engine.ts'

/** GitHub's Copilot CLI, run headless without an account: the gateway is a model provider of the user's own to it. */
export const copilot: ProgramEngine = createCopilot('anthropic-messages')

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
    hookCoverage: HOOK_COVERAGE,
    recordTable: RECORD_TABLE,
    useSkill: (name) => ({ tool: 'skill', input: { skill: name } }),
    resumes: true,
    ownValues,
    askTools: ['ask_user'],
    ownPaths: ['.copilot', '.github/hooks', '.github/skills'],
    ownVariables: ['COPILOT_'],
    toolFolders: ['.copilot', '.github'],
    skillFolders: ['.github/skills'],
    unknownTool: /^Tool .* does not exist/m,
    refusal: /^Tool .* does not exist/m,
    instructionFiles: ['AGENTS.md', 'CLAUDE.md', 'GEMINI.md', 'copilot-instructions.md'],
    modelFolders: ['.github/agents', '.github/skills', '.github/hooks'],
  }
}
