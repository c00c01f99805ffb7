/** A moment in an agent's session at which a package's hooks may run. */
export interface UniversalEvent {
  /** As written in hooks.json and in `hook:<event>`. */
  readonly name: string
  /** Claude Code's name of it. */
  readonly claude: string
  /** Whether a hook can stop what is about to happen. */
  readonly canBlock: boolean
}

/** Every event of the package format. */
export const UNIVERSAL_EVENTS: readonly UniversalEvent[] = [
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

/** The names of {@link UNIVERSAL_EVENTS}. */
export const UNIVERSAL_EVENT_NAMES: readonly string[] = UNIVERSAL_EVENTS.map(({ name }) => name)

/** The event of that universal name, or `null`. */
export function findUniversalEvent(name: string): UniversalEvent | null {
  return UNIVERSAL_EVENTS.find((event) => event.name === name) ?? null
}

/** The universal name for one of Claude Code's, which people write by habit; `null` for any other. */
export function universalNameOf(claudeName: string): string | null {
  return UNIVERSAL_EVENTS.find(({ claude }) => claude === claudeName)?.name ?? null
}
