import type { HookRuntime } from '../hooks/hook-runtime.ts'

export const hookRuntime: HookRuntime = {
  title: 'Claude Code',
  fields: { permission_mode: 'default' },
  toolCall: () => ({}),
  variables: (packageRoot) => ({ CLAUDE_PROJECT_DIR: packageRoot }),
}
