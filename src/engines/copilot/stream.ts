import { objectOf, objectsOf, stringOf, type JsonObject } from '../../lib/json.ts'
import { NO_FACTS, message as said, notice, parseEvent, reportLine } from '../stream.ts'
import { blockerOf, hookName } from './record-table.ts'
import type { StreamReader, StreamSummary } from '../stream.ts'
import type { UnnumberedEvent } from '../../transcript/transcript.ts'

/** Reads the lines of `copilot --output-format json`. */
export function createReader(): StreamReader {
  return new CopilotStream()
}

class CopilotStream implements StreamReader {
  private sessionId: string | null = null
  private status: StreamSummary['status'] = null
  private problem: string | null = null
  private skills: readonly string[] | null = null
  private readonly failedServers = new Set<string>()
  private failure: JsonObject = {}
  private unreadable = 0
  private isBlocked = false
  private readonly agents = new Map<string, string>()

  line(text: string): readonly UnnumberedEvent[] {
    if (text.trim() === '') return []
    const line = parseEvent(text)
    if (line === null) return reportLine((this.unreadable += 1), text)
    const data = objectOf(line['data'])
    const agent = this.agents.get(stringOf(line['agentId'])) ?? null
    switch (line['type']) {
      case 'session.skills_loaded':
        this.skills = offeredSkills(data)
        return []
      case 'subagent.started':
        // The agent's own id is new in every run.
        this.agents.set(stringOf(line['agentId']), `${stringOf(data['agentName'])}#${stringOf(data['toolCallId'])}`)
        return []
      case 'assistant.message':
        return said(stringOf(data['content']), agent)
      case 'tool.execution_start':
        return [{ kind: 'tool-call', agent, id: idOf(data), tool: toolOf(data), input: data['arguments'] ?? null }]
      case 'tool.execution_complete':
        return [resultOf(data, agent)]
      case 'model.call_failure':
        this.failure = data
        return []
      case 'assistant.turn_retry':
        return [retry(this.failure, data, agent)]
      case 'session.warning':
        return this.warn(data)
      case 'session.mcp_server_status_changed':
        if (data['status'] === 'failed') this.failedServers.add(stringOf(data['serverName']))
        return failedServer(data)
      case 'session.error':
        this.problem = stringOf(data['message']).trim() || this.problem
        return notice(stringOf(data['message']))
      case 'result':
        this.sessionId = stringOf(line['sessionId']) || null
        this.status = line['exitCode'] === 0 || this.isBlocked ? 'completed' : 'api-error'
        return []
      default:
        return []
    }
  }

  end(): StreamSummary {
    return {
      status: this.status,
      problem: this.status === 'completed' ? null : this.problem,
      // It tells the model that was asked for, not the one that answered.
      ...NO_FACTS,
      sessionId: this.sessionId,
      skills: this.skills,
      ...(this.failedServers.size === 0 ? {} : { failedServers: [...this.failedServers] }),
    }
  }

  private warn(data: JsonObject): readonly UnnumberedEvent[] {
    const type = stringOf(data['warningType'])
    // A hook refused the prompt: nothing was asked, and nothing is broken.
    if (type === 'policy_blocked') this.isBlocked = true
    return type === 'unknown_token_count_multiplier' ? [] : notice(stringOf(data['message']))
  }
}

function resultOf(data: JsonObject, agent: string | null): UnnumberedEvent {
  const error = objectOf(data['error'])
  const text = data['success'] === true ? stringOf(objectOf(data['result'])['content']) : stringOf(error['message'])
  const isError = data['success'] !== true || hasFailed(data)
  return { kind: 'tool-result', agent, id: idOf(data), text, isError, blockedBy: blockerOf(error, text, isError) }
}

// A tool that takes free text has its call's id with a word before it.
function idOf(data: JsonObject): string {
  return stringOf(data['toolCallId']).replace(/^custom_/, '')
}

function toolOf(data: JsonObject): string {
  const server = stringOf(data['mcpServerName'])
  return server === '' ? hookName(stringOf(data['toolName'])) : `mcp__${server}__${stringOf(data['mcpToolName'])}`
}

// A command that ended badly is a success to the CLI.
function hasFailed(data: JsonObject): boolean {
  const exitCode = objectOf(data['shellExecution'])['exitCode']
  return typeof exitCode === 'number' && exitCode !== 0
}

function retry(failure: JsonObject, data: JsonObject, agent: string | null): UnnumberedEvent {
  const status = failure['statusCode']
  const message = stringOf(failure['errorMessage']) || stringOf(data['reason'])
  return { kind: 'api-retry', agent, status: typeof status === 'number' ? status : null, message }
}

function failedServer(data: JsonObject): readonly UnnumberedEvent[] {
  if (data['status'] !== 'failed') return []
  const why = stringOf(data['error'])
  return notice(`The MCP server "${stringOf(data['serverName'])}" failed${why === '' ? '' : `: ${why}`}`)
}

// The CLI's own are listed even where they are switched off.
function offeredSkills(data: JsonObject): readonly string[] {
  return objectsOf(data['skills']).flatMap(({ name, source, enabled }) =>
    typeof name === 'string' && source !== 'builtin' && enabled !== false ? [name] : [],
  )
}
