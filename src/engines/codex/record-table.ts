import { isJsonObject, stringOf, type JsonValue } from '../../lib/json.ts'
import { SUB_AGENT_ENDED, headerOf, textsOf, type EngineTraffic, type RequestClues } from '../../recordings/messages.ts'
import type { Blocker } from '../../transcript/transcript.ts'
import { isSandboxDenial, type ModelCall, type RecordTable, type ShownCall, type SkillSignal } from '../stream.ts'

/**
 * Codex numbers calls in its own way, shows none that were refused, and none of sub-agents. One call of some models is a
 * script that makes further ones, which only the stream shows.
 */
export const RECORD_TABLE: RecordTable = {
  callOf: readCall,
  // The model gets the name of an MCP server without its dashes.
  plainTool: (tool) => (tool.startsWith('mcp__') ? tool.replaceAll('-', '_') : tool),
  resultOf({ text: given, isError }) {
    // How a command ended comes before what it printed.
    const text = given.replace(/^Process exited with code \d+\nOutput:\n/, '')
    return { text, isError, blockedBy: blockerOf(text, isError) }
  },
  skillsOf: ({ tool, input }, text) => (tool === 'Bash' ? skillsRead(commandOf(input), text) : []),
  // A skill that the prompt names by `$name` is put in by the CLI itself.
  skillIn: (text) => /^\s*<skill>\s*<name>([\w.-]+)<\/name>/.exec(text)?.[1] ?? null,
  couldMake(script, { tool }) {
    const text = JSON.stringify(script.input)
    if (script.tool !== SCRIPT) return tool === 'apply_patch' && text.includes(tool)
    return tool === 'Bash' ? /exec_command|shell/.test(text) : text.includes(tool.split('__').at(-1) ?? tool)
  },
  refusedIn: ({ name }, text) => (name === SCRIPT ? refusedIn(text) : []),
}

const SCRIPT = 'exec'

function readCall({ name, input }: Pick<ModelCall, 'input' | 'name'>): Pick<ShownCall, 'input' | 'tool'> {
  if (name === 'exec_command' || name === 'shell' || name === 'shell_command')
    return { tool: 'Bash', input: { command: commandOf(input) } }
  if (typeof input === 'string') return { tool: name, input: { [name === 'apply_patch' ? 'command' : 'input']: input } }
  return { tool: name.startsWith('mcp__') ? name.replace('.', '__') : name.replace(/^\w+\./, ''), input }
}

function commandOf(input: JsonValue): string {
  if (!isJsonObject(input)) return ''
  const { cmd, command } = input
  const words = cmd ?? command
  return Array.isArray(words) ? words.map(stringOf).join(' ') : stringOf(words)
}

// What became of the calls that were refused is in the output of their script.
function refusedIn(output: string): ReturnType<NonNullable<RecordTable['refusedIn']>> {
  return output.split('\n').flatMap((line) => {
    const command = /^Command blocked by \w+ hook: .*?\. Command: (.*)$/.exec(line)?.[1]
    return command === undefined ? [] : [{ tool: 'Bash', input: { command }, text: line }]
  })
}

/** Who stopped a call, from its result as the model got it; `null` when it ran, however it ended. */
export function blockerOf(text: string, isError: boolean): Blocker | null {
  if (!isError) return null
  if (/^Command blocked by \w+ hook: /m.test(text)) return 'hook'
  if (PERMISSION.test(text)) return 'permission'
  return isSandboxDenial(text) || SANDBOX.test(text) ? 'sandbox' : null
}

const PERMISSION =
  /\brejected: |Rejected\(|approval policy is never|requires approval|patch rejected|rejected by user|not permitted by policy/i
// Its own sandbox, which only a configuration of the user's own could turn on again.
const SANDBOX = /^bwrap: |failed in sandbox|codex-linux-sandbox/m

/**
 * Which skills a command has read: Codex has no tool for skills, a model reads the file. What only lists files, or finds
 * a name in them, prints no front matter and reads none.
 */
function skillsRead(command: string, output: string): readonly SkillSignal[] {
  if (!command.includes('SKILL.md')) return []
  const named = [...command.matchAll(READ)].flatMap((match) => match[1] ?? [])
  const printed = [...output.matchAll(FRONT_MATTER)].flatMap((match) => match[1] ?? [])
  return Array.from(new Set([...named, ...printed]), (skill) => ({ skill, via: 'read' }))
}

const READ = /\b(?:cat|head|tail|less|more|sed|awk|nl|bat)\b[^|;&\n]*?skills\/([\w.-]+)\/SKILL\.md/g
const FRONT_MATTER = /^---\n(?:[^\n]+\n)*?name:\s*["']?([\w.-]+)["']?\s*\n(?:[^\n]+\n)*?---$/gm

/** Codex names the thread of a request and its purpose, and makes up ids of sub-agents and of processes. */
export const traffic: EngineTraffic = {
  threadOf(clues) {
    if (isCompaction(clues)) return { kind: 'side', name: 'compact' }
    const purpose = headerOf(clues, 'x-openai-subagent')
    if (purpose === '') return isLateNotice(clues) ? { kind: 'side', name: SUB_AGENT_ENDED } : null
    const id = headerOf(clues, 'thread-id')
    if (purpose !== DELEGATED || id === '') return { kind: 'side', name: purpose }
    return { kind: 'agent', id, prompt: givenPrompt(clues) }
  },
  idIn: (result) =>
    ID.exec(result)
      ?.slice(1)
      .find((id) => id !== undefined) ?? null,
}

const DELEGATED = 'collab_spawn'
const ID = /"agent_id":"([^"]+)"|\bsession ID (\d+)/

// It asks for a summary on the thread that is summarized.
function isCompaction({ messages }: RequestClues): boolean {
  return textsOf(messages.at(-1)).at(-1)?.startsWith('You are performing a CONTEXT CHECKPOINT COMPACTION') === true
}

// Whether the client reports the end of a sub-agent before or after the last answer differs between runs.
function isLateNotice({ messages }: RequestClues): boolean {
  const last = messages.findLastIndex(({ role }) => role === 'assistant')
  const since = messages.slice(last + 1).flatMap(({ parts }) => parts)
  const isFinal = messages[last]?.parts.every(({ kind }) => kind === 'text') === true
  return (
    isFinal &&
    since.length > 0 &&
    since.every((part) => part.kind === 'text' && part.text.trimStart().startsWith('<subagent_notification>'))
  )
}

// Before the first answer come instructions and what the client says of itself, in tags or under a heading of its own.
function givenPrompt({ messages }: RequestClues): string {
  const answered = messages.findIndex(({ role }) => role === 'assistant')
  const opening = answered < 0 ? messages : messages.slice(0, answered)
  const texts = opening.filter(({ role }) => role === 'user').flatMap(textsOf)
  return (texts.findLast((text) => !/^\s*(?:<\w+>|# AGENTS\.md instructions)/.test(text)) ?? '').trim()
}
