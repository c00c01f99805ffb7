/** A moment in an agent's session at which a package's hooks may run. */
export interface HookEvent {
  /** The name that the package format uses, or would use: `pre-tool-use`. */
  readonly name: string
  /** Claude Code's name of it. */
  readonly claude: string
  /** Whether a hook can stop what is about to happen. */
  readonly canBlock: boolean
  /** Whether only Claude Code has this event; the package format does not. */
  readonly claudeOnly?: true
}

/** Every event of the package format. */
const UNIVERSAL_EVENTS: readonly HookEvent[] = [
  { name: 'pre-tool-use', claude: 'PreToolUse', canBlock: true },
  { name: 'permission-request', claude: 'PermissionRequest', canBlock: true },
  { name: 'post-tool-use', claude: 'PostToolUse', canBlock: false },
  { name: 'pre-prompt', claude: 'UserPromptSubmit', canBlock: true },
  { name: 'session-start', claude: 'SessionStart', canBlock: false },
  { name: 'session-end', claude: 'SessionEnd', canBlock: false },
  { name: 'stop', claude: 'Stop', canBlock: true },
  { name: 'sub-agent-end', claude: 'SubagentStop', canBlock: true },
  { name: 'pre-compact', claude: 'PreCompact', canBlock: false },
  { name: 'notification', claude: 'Notification', canBlock: false },
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

const CLAUDE_EVENTS: readonly HookEvent[] = [
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
].map((claude) => ({
  name: claude.replaceAll(/(?<=[a-z])[A-Z]/g, '-$&').toLowerCase(),
  claude,
  canBlock: BLOCKING.has(claude),
  claudeOnly: true,
}))

const HOOK_EVENTS = [...UNIVERSAL_EVENTS, ...CLAUDE_EVENTS]

/** The names of the package format's events. */
export const UNIVERSAL_EVENT_NAMES: readonly string[] = UNIVERSAL_EVENTS.map(({ name }) => name)

/** Claude Code's names of all events. */
export const CLAUDE_EVENT_NAMES: readonly string[] = HOOK_EVENTS.map(({ claude }) => claude)

/** The event that a target or a test names in either spelling, or `null`. */
export function findHookEvent(name: string): HookEvent | null {
  return HOOK_EVENTS.find((event) => event.name === name || event.claude === name) ?? null
}

/** The package format's name for one of Claude Code's; `null` for any other. */
export function universalNameOf(claudeName: string): string | null {
  return UNIVERSAL_EVENTS.find(({ claude }) => claude === claudeName)?.name ?? null
}
