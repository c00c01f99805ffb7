import { isJsonObject, objectOf, objectsOf, stringOf, type JsonObject, type JsonValue } from '../../lib/json.ts'
import { findHookEvent } from '../../packages/hook-events.ts'
import type { Blocker, RunStatus, UnnumberedEvent } from '../../transcript/transcript.ts'
import type { StreamReader, StreamSummary } from '../stream.ts'
import type { HookRun } from '../hooks/hook-plan.ts'
import { readHookAnswer } from '../hooks/hook-shim-payload.ts'
import { isSandboxDenial, notice, parseEvent, reportLine } from '../stream.ts'
import { blockerIn } from './record-table.ts'

/** Counts the hooks that gave no verdict and that the shim knows nothing of: prompt hooks, and a shim that broke. */
class NativeHooks {
  withoutVerdict = 0
  /** All that ended, in order. */
  readonly runs: HookRun[] = []
  /** Reasons of denials in JSON before a call: until 2.1.260 they alone are its result. */
  readonly denials = new Set<string>()
  private readonly explained = new Map<string, number>()

  /** A command hook ended. All of ours are the shim, which says itself what its hook did. */
  response(line: JsonObject, isOver: boolean): void {
    const { exit_code: exitCode, outcome } = line
    const native = stringOf(line['hook_event'])
    const event = findHookEvent(native)?.name ?? native
    const answer = readHookAnswer(stringOf(line['stdout']), { hook: { event }, nativeEvent: native })
    if (event === 'pre-tool-use' && answer.kind === 'denied') this.denials.add(answer.reason)
    const [, tool = null] = /^\w+ToolUse:(.*)$/.exec(stringOf(line['hook_name'])) ?? []
    // The CLI ends no hook at its own end but those that it did not wait for.
    const cutOff = isOver && outcome === 'cancelled'
    this.runs.push({ event, tool, ...(cutOff ? { cutOff } : {}) })
    if (cutOff) return
    if (outcome === 'cancelled' || stringOf(line['stderr']).includes('agent-evals hook shim:')) this.withoutVerdict += 1
    if (exitCode === 0 || exitCode === 2) return
    this.explained.set(native, (this.explained.get(native) ?? 0) + 1)
  }

  /** The CLI says that some hook gave no verdict, but not which. */
  informational(line: JsonObject): void {
    const verdict = line['hook_no_verdict']
    if (!isJsonObject(verdict)) return
    const event = stringOf(verdict['hook_event'])
    const explained = this.explained.get(event) ?? 0
    if (explained === 0) this.withoutVerdict += 1
    else this.explained.set(event, explained - 1)
  }
}

/** Reads the lines of `--output-format stream-json`. */
export function createReader(): StreamReader {
  return new ClaudeStream()
}

class ClaudeStream implements StreamReader {
  private sessionId: string | null = null
  private version: string | null = null
  private model: string | null = null
  private skills: readonly string[] | null = null
  private failedServers: readonly string[] = []
  private result: JsonObject | null = null
  /** Nothing came after the last result but hooks. */
  private isOver = false
  private unreadable = 0
  private foreign = 0
  private readonly denied = new Map<string, string>()
  private readonly questions = new Set<string>()
  private readonly hooks = new NativeHooks()

  line(text: string): readonly UnnumberedEvent[] {
    if (text.trim() === '') return []
    const line = parseEvent(text)
    if (line === null) return reportLine((this.unreadable += 1), text)
    if (!this.isOwn(line)) return reportLine((this.foreign += 1), text, 'is not of this session')

    switch (line['type']) {
      case 'system':
        return this.system(line)
      case 'assistant':
        this.isOver = false
        return this.assistant(line)
      case 'user':
        return this.user(line)
      case 'result':
        // With background work there are several; the last one counts.
        this.result = line
        this.isOver = true
        return []
      case 'control_request':
        this.asked(objectOf(line['request']))
        return []
      default:
        return []
    }
  }

  end(): StreamSummary {
    return {
      ...readEnding(this.result),
      version: this.version,
      sessionId: this.sessionId,
      model: this.model,
      skills: this.skills,
      ...(this.failedServers.length === 0 ? {} : { failedServers: this.failedServers }),
      hooksWithoutVerdict: this.hooks.withoutVerdict,
      hookRuns: this.hooks.runs,
    }
  }

  // A tool can write to the CLI's stdout; what it writes does not know the session.
  private isOwn(line: JsonObject): boolean {
    const id = line['session_id']
    if (typeof id !== 'string') return line['type'] !== 'result'
    if (line['type'] === 'system') this.sessionId ??= id
    return id === this.sessionId
  }

  private system(line: JsonObject): readonly UnnumberedEvent[] {
    switch (line['subtype']) {
      case 'init':
        return this.init(line)
      case 'api_retry': {
        const status = line['error_status']
        return [
          {
            kind: 'api-retry',
            agent: null,
            status: typeof status === 'number' ? status : null,
            message: stringOf(line['error']),
          },
        ]
      }
      case 'permission_denied':
        this.denied.set(stringOf(line['tool_use_id']), stringOf(line['decision_reason_type']))
        return []
      case 'hook_response':
        this.hooks.response(line, this.isOver)
        return []
      case 'informational':
        this.hooks.informational(line)
        return notice(stringOf(line['content']), agentOf(line))
      default:
        return []
    }
  }

  // What it asks its user; that nobody gave leave shows in the result of the call.
  private asked(request: JsonObject): void {
    if (request['subtype'] !== 'can_use_tool') return
    if (request['tool_name'] === 'AskUserQuestion') this.questions.add(stringOf(request['tool_use_id']))
    else this.denied.set(stringOf(request['tool_use_id']), stringOf(request['decision_reason_type']))
  }

  private init(line: JsonObject): readonly UnnumberedEvent[] {
    // Background work opens the session again; what it then offers is the same.
    if (this.version !== null) return []
    this.version = typeof line['claude_code_version'] === 'string' ? line['claude_code_version'] : null
    this.skills = Array.isArray(line['skills']) ? line['skills'].filter((skill) => typeof skill === 'string') : null
    this.failedServers = objectsOf(line['mcp_servers']).flatMap(({ name, status }) =>
      status === 'failed' ? [stringOf(name)] : [],
    )
    return this.failedServers.flatMap((name) => notice(`The MCP server "${name}" did not start.`))
  }

  private assistant(line: JsonObject): readonly UnnumberedEvent[] {
    const message = objectOf(line['message'])
    const agent = agentOf(line)
    const isSynthetic = message['model'] === '<synthetic>'
    if (agent === null && !isSynthetic && typeof message['model'] === 'string') this.model = message['model']

    return objectsOf(message['content']).flatMap((block): readonly UnnumberedEvent[] => {
      if (block['type'] === 'text') {
        const text = stringOf(block['text'])
        // The CLI's own words, such as an API error, are not the agent's output.
        if (isSynthetic) return notice(text, agent)
        return [{ kind: 'message', agent, text }]
      }
      if (block['type'] !== 'tool_use' && block['type'] !== 'server_tool_use') return []
      const id = stringOf(block['id'])
      const tool = stringOf(block['name'])
      return [{ kind: 'tool-call', agent, id, tool, input: block['input'] ?? null }]
    })
  }

  private user(line: JsonObject): readonly UnnumberedEvent[] {
    const message = objectOf(line['message'])
    const agent = agentOf(line)
    return objectsOf(message['content']).flatMap((block): readonly UnnumberedEvent[] => {
      const text = stringOf(block['text'])
      if (block['type'] === 'text' && text.startsWith('Stop hook feedback:')) return notice(text, agent)
      if (block['type'] !== 'tool_result') return []
      const id = stringOf(block['tool_use_id'])
      const isError = block['is_error'] === true
      const resultText = textOf(block['content'])
      // A question without an answer was put all the same.
      const isStopped = isError && !this.questions.has(id)
      const blockedBy = isStopped ? this.blockerOf(id, resultText, line['tool_result_meta']) : null
      return [{ kind: 'tool-result', agent, id, text: resultText, isError, blockedBy }]
    })
  }

  /** Who stopped a tool call that failed; `null` when it ran. */
  private blockerOf(id: string, text: string, meta: JsonValue | undefined): Blocker | null {
    const denied = this.denied.get(id)
    // A hook that asks is denied for want of a person, and that is booked under the configuration.
    if (denied !== undefined) return denied === 'hook' ? 'hook' : 'permission'
    const decision = decisionFor(id, meta)
    if (decision === null)
      return blockerIn(text) ?? (this.hooks.denials.has(text) || isStoppedByMod(id, meta) ? 'hook' : null)
    if (decision['decision'] === 'reject') return decision['source'] === 'hook' ? 'hook' : 'permission'
    return isSandboxDenial(text) ? 'sandbox' : null
  }
}

/** The agent's type, and the call that started it: unlike the agent's own id it is the same in every replay. */
function agentOf(line: JsonObject): string | null {
  const call = line['parent_tool_use_id']
  if (typeof call !== 'string') return null
  const type = line['subagent_type']
  return typeof type === 'string' ? `${type}#${call}` : call
}

/** The text of a tool result; what is no text is named. */
function textOf(content: JsonValue | undefined): string {
  if (typeof content === 'string') return content
  return objectsOf(content)
    .map((block) => (typeof block['text'] === 'string' ? block['text'] : `[${stringOf(block['type'])}]`))
    .join('\n')
}

// A mod that answers a call in its place decides about no permission.
function isStoppedByMod(id: string, meta: JsonValue | undefined): boolean {
  return objectsOf(meta).some((one) => one['id'] === id && one['non_execution_kind'] === 'permission-rule')
}

function decisionFor(id: string, meta: JsonValue | undefined): JsonObject | null {
  const decision = objectsOf(meta).find((candidate) => candidate['id'] === id)?.['permission_decision']
  return isJsonObject(decision) ? decision : null
}

/** How the CLI says the run went, from its last `result`; nothing when that is missing. */
function readEnding(result: JsonObject | null): {
  readonly status: RunStatus | null
  readonly problem: string | null
} {
  if (result === null) return { status: null, problem: null }
  // An API failure says `subtype: success`: only `is_error` tells.
  if (result['is_error'] !== true) return { status: 'completed', problem: null }
  return { status: statusOf(result), problem: problemOf(result) }
}

function statusOf(result: JsonObject): RunStatus {
  const reason = result['terminal_reason']
  if (reason === 'max_turns' || reason === 'budget_exhausted') return 'limit-reached'
  if (stringOf(result['subtype']).startsWith('error_max_')) return 'limit-reached'
  if (reason === 'api_error' || typeof result['api_error_status'] === 'number') return 'api-error'
  return 'crashed'
}

function problemOf(result: JsonObject): string {
  const errors = Array.isArray(result['errors']) ? result['errors'].filter((error) => typeof error === 'string') : []
  if (errors.length > 0) return errors.join(' ')
  return stringOf(result['result']) || `The CLI ended with ${stringOf(result['subtype'])}.`
}
