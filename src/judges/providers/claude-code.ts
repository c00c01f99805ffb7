import { buildEnvironment } from '../../engines/claude-code/command.ts'
import { claudeCode } from '../../engines/claude-code/engine.ts'
import { isJsonObject, stringOf, tryParseJson } from '../../lib/json.ts'
import { claudeCodeAlias, type JudgeReply } from './provider.ts'
import { noResult, type JudgeProgram, type ProgramCommand, type ProgramQuestion } from './program.ts'
import type { SessionResult } from '../../sandbox/run.ts'

/** Claude Code as a judge. It takes a subscription's token. */
export const claudeCodeJudge: JudgeProgram = {
  engine: claudeCode,
  title: 'Claude Code',
  wire: 'anthropic-messages',
  answerTool: 'StructuredOutput',
  subscriptionHint: 'CLAUDE_CODE_OAUTH_TOKEN is set: choose a judge it can reach with --judge claude-code:sonnet.',
  resolveModel: claudeCodeAlias,
  command,
  read,
}

function command({ system, model, schema, paths, confined, gateway }: ProgramQuestion): ProgramCommand {
  return {
    arguments: [
      '-p',
      '--output-format=json',
      '--json-schema',
      JSON.stringify(schema),
      '--system-prompt',
      system,
      '--model',
      model,
      '--tools',
      '',
      '--disable-slash-commands',
      '--setting-sources=',
      '--strict-mcp-config',
      '--no-session-persistence',
    ],
    env: buildEnvironment({ env: {}, paths, confined, gateway }),
    configFiles: [],
  }
}

// Whatever it says in prose, and with whatever exit code: without a structured answer there is none.
function read(result: SessionResult): JudgeReply {
  const printed = tryParseJson(result.stdoutTail.trim().split('\n').at(-1) ?? '')
  if (!isJsonObject(printed)) return noResult(claudeCodeJudge, result)
  const { structured_output: answer, stop_reason: stop, subtype } = printed
  if (stop === 'refusal') return { kind: 'stopped', why: 'refusal' }
  if (stop === 'max_tokens') return { kind: 'stopped', why: 'max-tokens' }
  if (answer !== undefined && answer !== null) return { kind: 'json', value: answer }
  if (printed['is_error'] === true && subtype !== 'error_max_structured_output_retries') {
    return {
      kind: 'failed',
      problem: stringOf(printed['result']) || stringOf(subtype) || 'Claude Code ended with an error.',
      final: false,
    }
  }
  return { kind: 'malformed', problem: 'there was no structured answer' }
}
