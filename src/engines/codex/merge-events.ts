import { isJsonObject } from '../../json.ts'
import { stringOf } from '../../json-fields.ts'
import { blockerOf } from './blocker.ts'
import { skillsRead } from './skill-signal.ts'
import type { JsonValue } from '../../json.ts'
import type { Observed, ObservedStep } from '../engine.ts'
import type { UnnumberedEvent } from '../../transcript/transcript.ts'

type Call = Extract<ObservedStep, { kind: 'call' }>
type Event = UnnumberedEvent

/**
 * Joins what the stream tells with what the model's requests show. The stream knows what ran and what it printed, and
 * says nothing of calls that a hook, a rule or the CLI itself refused, nor of what sub-agents do; the requests know the
 * ids by which hooks name calls.
 */
export function mergeEvents(events: readonly Event[], { steps, shown }: Observed): readonly Event[] {
  const main = steps.filter(({ agent }) => agent === null)
  const { events: rest, renamed } = renameCalls(events, main)
  const merged: Event[] = injectedSkills(shown)
  // Results of calls that hold others, such as a script: what these did comes first.
  let held: Event[] = []
  const flush = (count: number): void => {
    merged.push(...rest.splice(0, count))
    merged.push(...held)
    held = []
  }

  for (const step of main) {
    const at = rest.findIndex((event) =>
      step.kind === 'call' ? event.kind === 'tool-call' && event.id === step.id : isSame(event, step),
    )
    if (at >= 0) {
      flush(at)
      const same = rest.splice(0, 1 + outcomeLength(rest))
      merged.push(...(step.kind === 'call' ? withResult(same, step, rest) : same))
    } else if (step.kind === 'call' && !renamed.has(step.id)) {
      flush(0)
      const [call, ...came] = eventsOf(step)
      if (call !== undefined) merged.push(call)
      held = came
    }
  }
  flush(rest.length)
  return [...merged, ...steps.filter(({ agent }) => agent !== null).flatMap(eventsOf)]
}

// What came of a call at once stays with it.
function outcomeLength([call, ...rest]: readonly Event[]): number {
  if (call?.kind !== 'tool-call') return 0
  const end = rest.findIndex(
    (event) => event.kind !== 'skill-used' && (event.kind !== 'tool-result' || event.id !== call.id),
  )
  return end < 0 ? rest.length : end
}

function isSame(event: Event, step: ObservedStep): boolean {
  if (step.kind === 'message') return event.kind === 'message' && event.text.trim() === step.text.trim()
  if (event.kind !== 'tool-call' || isRefused(step)) return false
  const { tool, input } = readCall(step)
  if (modelName(event.tool) !== modelName(tool)) return false
  return tool !== 'Bash' || commandOf(event.input) === commandOf(input)
}

// The model gets the name of an MCP server without its dashes.
function modelName(tool: string): string {
  return tool.startsWith('mcp__') ? tool.replaceAll('-', '_') : tool
}

function isRefused({ result }: Call): boolean {
  if (result === null) return false
  const by = blockerOf(result.text, result.isError)
  return (
    by === 'hook' || by === 'permission' || /^(?:unsupported call: |failed to parse |\w+ failed: )/.test(result.text)
  )
}

/**
 * Gives the first event of each call its whole input, and all its events the id that the model gave it. Calls of one
 * answer run in parallel, so the stream may have them in another order.
 */
function renameCalls(
  events: readonly Event[],
  steps: readonly ObservedStep[],
): { readonly events: Event[]; readonly renamed: ReadonlySet<string> } {
  const rest = [...events]
  const renamed = new Set<string>()
  for (const step of steps) {
    if (step.kind !== 'call') continue
    const { id } = step
    const first = rest.find((event) => event.kind === 'tool-call' && !renamed.has(event.id) && isSame(event, step))
    if (first?.kind !== 'tool-call') continue
    renamed.add(id)
    for (const [index, event] of rest.entries()) {
      if (event.kind === 'tool-call' && event.id === first.id)
        rest[index] = { ...event, id, input: readCall(step).input }
      if (event.kind === 'tool-result' && event.id === first.id) rest[index] = { ...event, id }
    }
  }
  return { events: rest, renamed }
}

/** What a call came to, where the stream does not say: a command that goes on in the background, an agent's answer. */
function withResult(events: readonly Event[], step: Call, later: readonly Event[]): readonly Event[] {
  const observed = resultOf(step)
  if (observed === null) return events
  // That of a parallel call comes after what the others did.
  if (later.some((event) => event.kind === 'tool-result' && event.id === step.id)) return events
  if (!events.some(({ kind }) => kind === 'tool-result')) return [...events, observed]
  return events.map((event) => {
    const isSilent = event.kind === 'tool-result' && event.text === ''
    return isSilent && readCall(step).tool !== 'Bash' ? { ...event, text: observed.text } : event
  })
}

/** A step that only the requests show. */
function eventsOf(step: ObservedStep): readonly Event[] {
  const { agent } = step
  if (step.kind === 'message') return [{ kind: 'message', agent, text: step.text }]
  const { tool, input } = readCall(step)
  const call: Event = { kind: 'tool-call', agent, id: step.id, tool, input }
  const came = resultOf(step)
  if (came === null) return [call]
  const read = tool === 'Bash' && !came.isError ? skillsRead(commandOf(input), came.text) : []
  return [
    call,
    ...(tool === SCRIPT ? blockedInside(step, came.text) : []),
    came,
    ...read.map((skill): Event => ({ kind: 'skill-used', agent, skill, via: 'read' })),
  ]
}

function resultOf({ agent, id, result }: Call): Extract<Event, { kind: 'tool-result' }> | null {
  if (result === null) return null
  const { isError } = result
  // The stream tells what a command printed, and nothing before it.
  const text = result.text.replace(/^Process exited with code \d+\nOutput:\n/, '')
  return { kind: 'tool-result', agent, id, text, isError, blockedBy: blockerOf(text, isError) }
}

/** A call by the name and input that the stream, and hooks, know it by. */
export function readCall({ tool, input }: Pick<Call, 'input' | 'tool'>): {
  readonly tool: string
  readonly input: JsonValue
} {
  if (tool === 'exec_command' || tool === 'shell' || tool === 'shell_command')
    return { tool: 'Bash', input: { command: commandOf(input) } }
  if (typeof input === 'string') return { tool, input: { [tool === 'apply_patch' ? 'command' : 'input']: input } }
  return { tool: tool.startsWith('mcp__') ? tool.replace('.', '__') : tool.replace(/^\w+\./, ''), input }
}

function commandOf(input: JsonValue): string {
  if (!isJsonObject(input)) return ''
  const { cmd, command } = input
  const words = cmd ?? command
  return Array.isArray(words) ? words.map(stringOf).join(' ') : stringOf(words)
}

// One call of some models is a script that makes further ones; what became of those that were refused is in its output.
function blockedInside({ agent, id }: Call, text: string): readonly Event[] {
  const refusals = text
    .split('\n')
    .flatMap((line) => /^Command blocked by \w+ hook: .*?\. Command: (.*)$/.exec(line) ?? [])
  const commands = refusals.filter((_, index) => index % 2 === 1)
  return commands.flatMap((command, index): readonly Event[] => {
    const inner = `${id}/${index + 1}`
    return [
      { kind: 'tool-call', agent, id: inner, tool: 'Bash', input: { command } },
      {
        kind: 'tool-result',
        agent,
        id: inner,
        text: refusals[index * 2] ?? '',
        isError: true,
        blockedBy: 'hook',
      },
    ]
  })
}

export const SCRIPT = 'exec'

// A skill that the prompt names by `$name` is put in by the CLI itself.
function injectedSkills(shown: readonly string[]): Event[] {
  return shown.flatMap((text) => {
    const skill = /^\s*<skill>\s*<name>([\w.-]+)<\/name>/.exec(text)?.[1]
    return skill === undefined ? [] : [{ kind: 'skill-used', agent: null, skill, via: 'tool' } as const]
  })
}
