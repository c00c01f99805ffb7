/** Claude Code's name of each universal hook event. */
export const NATIVE_EVENTS: Readonly<Record<string, string>> = {
  'pre-tool-use': 'PreToolUse',
  'permission-request': 'PermissionRequest',
  'post-tool-use': 'PostToolUse',
  'pre-prompt': 'UserPromptSubmit',
  'session-start': 'SessionStart',
  'session-end': 'SessionEnd',
  stop: 'Stop',
  'sub-agent-end': 'SubagentStop',
  'pre-compact': 'PreCompact',
  notification: 'Notification',
}
