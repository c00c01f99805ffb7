import { posix } from 'node:path'
import { EXEC_ONCE, buildEnvironment, gatewayArguments, hermeticConfig } from '../../engines/codex/command.ts'
import { codex } from '../../engines/codex/engine.ts'
import { noResult, type JudgeProgram, type ProgramCommand, type ProgramQuestion } from './program.ts'
import type { SessionResult } from '../../sandbox/run.ts'
import type { JudgeReply } from './provider.ts'

/** Codex as a judge. Whether an answer has the form that was asked for it leaves to us. */
export const codexJudge: JudgeProgram = {
  engine: codex,
  title: 'Codex',
  wire: 'openai-chat',
  resolveModel: (model) => model,
  command,
  read,
}

function command({ system, model, schema, paths, gateway }: ProgramQuestion): ProgramCommand {
  const inConfig = (name: string): string => posix.join(paths.config, name)
  return {
    arguments: [
      ...EXEC_ONCE,
      '--ignore-rules',
      // The one tool that most models keep writes files.
      '-s',
      'read-only',
      '-C',
      paths.workspace,
      ...gatewayArguments(gateway),
      '-m',
      model,
      '--output-schema',
      inConfig(SCHEMA),
      '-',
    ],
    env: buildEnvironment({ env: {}, paths, gateway }),
    configFiles: [
      { to: 'config.toml', content: judgeConfig(inConfig(INSTRUCTIONS)) },
      { to: INSTRUCTIONS, content: system },
      { to: SCHEMA, content: JSON.stringify(schema) },
    ],
  }
}

const INSTRUCTIONS = 'instructions.md'
const SCHEMA = 'schema.json'

// Nothing but our instructions and the question: no tools to speak of, and nothing that the CLI tells of its surroundings.
function judgeConfig(instructions: string): string {
  return hermeticConfig({
    model_instructions_file: instructions,
    include_permissions_instructions: false,
    include_environment_context: false,
    project_doc_max_bytes: 0,
    features: Object.fromEntries(UNUSED.map((feature) => [feature, false])),
    agents: { enabled: false },
  })
}

const UNUSED = [
  'shell_tool',
  'unified_exec',
  // Without its host a script that a model writes is refused.
  'code_mode_host',
  'view_image',
  'goals',
  'tool_suggest',
  'skill_search',
]

function read(result: SessionResult): JudgeReply {
  const reader = codex.createReader()
  const messages = result.stdoutTail
    .split('\n')
    .flatMap((line) => reader.line(line))
    .filter((event) => event.kind === 'message')
  const { status, problem } = reader.end()
  // A refusal is no message for it.
  if (status === 'completed') return { kind: 'text', text: messages.at(-1)?.text ?? '' }
  if (status === null) return noResult(codexJudge, result)
  const stopped = /Incomplete response returned, reason: (max_output_tokens|content_filter)/.exec(problem ?? '')?.[1]
  if (stopped !== undefined) return { kind: 'stopped', why: stopped === 'content_filter' ? 'refusal' : 'max-tokens' }
  return { kind: 'failed', problem: problem ?? 'Codex ended with an error.', final: false }
}
