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

// Exit code 2 of a hook of these events stops something.
const BLOCKING: ReadonlySet<string> = new Set([
  'ConfigChange',
  'Elicitation',
  'ElicitationResult',
  'TaskCompleted',
  'TaskCreated',
  'TeammateIdle',
  'UserPromptExpansion',
])

const NATIVE_EVENTS: readonly HookEvent[] = [
  'PostToolUseFailure',
  'PostToolBatch',
  'UserPromptExpansion',
  'StopFailure',
  'SubagentStart',
  'PostCompact',
  'PreModelSwitch',
  'PostModelSwitch',
  'PermissionDenied',
  'Setup',
  'TeammateIdle',
  'TaskCreated',
  'TaskCompleted',
  'Elicitation',
  'ElicitationResult',
  'ConfigChange',
  'WorktreeCreate',
  'WorktreeRemove',
  'InstructionsLoaded',
  'CwdChanged',
  'FileChanged',
  'DirectoryAdded',
  'MessageDisplay',
].map((native) => ({
  name: native.replaceAll(/(?<=[a-z])[A-Z]/g, '-$&').toLowerCase(),
  native,
  canBlock: BLOCKING.has(native),
  nativeOnly: true,
}))

const HOOK_EVENTS = [...UNIVERSAL_EVENTS, ...NATIVE_EVENTS]

/** The names of the package format's events. */
export const UNIVERSAL_EVENT_NAMES: readonly string[] = UNIVERSAL_EVENTS.map(({ name }) => name)

/** Claude Code's names of all events. */
export const NATIVE_EVENT_NAMES: readonly string[] = HOOK_EVENTS.map(({ native }) => native)

/** The event that a target or a test names in either spelling, or `null`. */
export function findHookEvent(name: string): HookEvent | null {
  return HOOK_EVENTS.find((event) => event.name === name || event.native === name) ?? null
}

/** The package format's name for one of Claude Code's; `null` for any other. */
export function universalNameOf(nativeName: string): string | null {
  return UNIVERSAL_EVENTS.find(({ native }) => native === nativeName)?.name ?? null
}
