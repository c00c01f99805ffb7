const NAMES = ['hookEventName', 'hook_event_name', 'toolName', 'tool_name']

/** Event and tool of each payload that hooks wrote, one a line, under both names that a payload has for them. */
export function spellingsOf(payloads: string): readonly (readonly unknown[])[] {
  return payloads
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const payload = JSON.parse(line) as Record<string, unknown>
      return NAMES.map((name) => payload[name] ?? null)
    })
}

/** The spellings of a session that fires every event once, with one call of a sub-agent. */
export const EVERY_SPELLING = [
  ['session-start', 'SessionStart', null, null],
  ['pre-prompt', 'UserPromptSubmit', null, null],
  ['pre-tool-use', 'PreToolUse', 'Agent', 'Agent'],
  ['sub-agent-end', 'SubagentStop', null, null],
  ['post-tool-use', 'PostToolUse', 'Agent', 'Agent'],
  ['stop', 'Stop', null, null],
  ['session-end', 'SessionEnd', null, null],
]
