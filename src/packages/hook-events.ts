import { suggestName } from '../lib/documents/nearest-name.ts'

/** A moment in an agent's session at which a package's hooks may run. */
export interface HookEvent {
  /** The name that the package format uses, or would use: `pre-tool-use`. */
  readonly name: string
  /** Claude Code's name of it. */
  readonly native: string
  /** Whether a hook can stop what is about to happen. */
  readonly canBlock: boolean
  /** Whether only Claude Code has this event; the package format does not. */
  readonly nativeOnly?: true
}

/** Every event of the package format. */
const UNIVERSAL_EVENTS: readonly HookEvent[] = [
  { name: 'pre-tool-use', native: 'PreToolUse', canBlock: true },
  { name: 'permission-request', native: 'PermissionRequest', canBlock: true },
  { name: 'post-tool-use', native: 'PostToolUse', canBlock: false },
  { name: 'pre-prompt', native: 'UserPromptSubmit', canBlock: true },
  { name: 'session-start', native: 'SessionStart', canBlock: false },
  { name: 'session-end', native: 'SessionEnd', canBlock: false },
  { name: 'stop', native: 'Stop', canBlock: true },
  { name: 'sub-agent-end', native: 'SubagentStop', canBlock: true },
  { name: 'pre-compact', native: 'PreCompact', canBlock: false },
  { name: 'notification', native: 'Notification', canBlock: false },
]

const BLOCKING = [
  'ConfigChange',
  'Elicitation',
  'ElicitationResult',
  'TaskCompleted',
  'TaskCreated',
  'TeammateIdle',
  'UserPromptExpansion',
]

const NOT_BLOCKING = [
  'PostToolUseFailure',
  'PostToolBatch',
  'StopFailure',
  'SubagentStart',
  'PostCompact',
  'PreModelSwitch',
  'PostModelSwitch',
  'PermissionDenied',
  'Setup',
  'WorktreeCreate',
  'WorktreeRemove',
  'InstructionsLoaded',
  'CwdChanged',
  'FileChanged',
  'DirectoryAdded',
  'MessageDisplay',
]

/** The events that only Claude Code has. */
const NATIVE_EVENTS = [...BLOCKING, ...NOT_BLOCKING].map((native): HookEvent => {
  const name = native.replaceAll(/(?<=[a-z])[A-Z]/g, '-$&').toLowerCase()
  return { name, native, canBlock: BLOCKING.includes(native), nativeOnly: true }
})

const HOOK_EVENTS = [...UNIVERSAL_EVENTS, ...NATIVE_EVENTS]

/** The names of the package format's events. */
export const UNIVERSAL_EVENT_NAMES: readonly string[] = UNIVERSAL_EVENTS.map(({ name }) => name)

/** Claude Code's names of all events. */
export const NATIVE_EVENT_NAMES: readonly string[] = HOOK_EVENTS.map(({ native }) => native)

/** The event that a target or a test names in either spelling, or `null`. */
export function findHookEvent(name: string): HookEvent | null {
  return HOOK_EVENTS.find((event) => event.name === name || event.native === name) ?? null
}

/** Why a name is no event, as the end of a sentence about it. */
export function describeUnknownEvent(name: string): string {
  return `not a hook event; there are ${UNIVERSAL_EVENT_NAMES.join(', ')}.${suggestEvent(name)}`
}

/** ` Did you mean "x"?` for a name that is no event, or nothing. */
export function suggestEvent(name: string): string {
  return suggestName(name, [...UNIVERSAL_EVENT_NAMES, ...NATIVE_EVENT_NAMES])
}

/** The event of a mod's group: which events its module handles shows when it runs. */
export const MOD_EVENT = 'mod'

/** The events of the package format that a mod's events stand for: a `tool.call` is around the call. */
const EVENTS_OF_MODS: Readonly<Record<string, readonly string[]>> = {
  'tool.check': ['pre-tool-use'],
  'tool.call': ['pre-tool-use', 'post-tool-use'],
  'prompt.submit': ['pre-prompt'],
  'session.start': ['session-start'],
  'session.compact': ['pre-compact'],
  'session.end': ['session-end'],
  'turn.complete': ['stop'],
}

/** The events that a mod may handle. */
export const MOD_EVENT_NAMES: readonly string[] = [...new Set(Object.values(EVENTS_OF_MODS).flat())]

/** The events that one event of a mod stands for; one without a counterpart stands for itself. */
export function eventsOfMod(event: string): readonly string[] {
  return EVENTS_OF_MODS[event] ?? [event]
}

/** Whether a hook of this event runs before there is anything to block: its decision stops nothing. */
export function isTooEarly(name: string): boolean {
  return ['SessionStart', 'Setup'].includes(findHookEvent(name)?.native ?? '')
}

/** Whether a hook of this event decides if the agent may end, and about no call. */
export function decidesEnd(name: string): boolean {
  return ['Stop', 'SubagentStop'].includes(findHookEvent(name)?.native ?? '')
}
