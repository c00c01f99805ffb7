import type { HookCoverage } from '../hooks/hook-coverage.ts'

/** Claude Code asks hooks about every call that has a known tool and a valid input. */
export const HOOK_COVERAGE: HookCoverage = {
  isSure(event, { call, result: { text, isError, blockedBy } }) {
    if (UNKNOWN.has(call.tool)) return false
    if (event === 'post-tool-use') return !isError
    // What it refuses by itself has this mark.
    return !isError || !(blockedBy === 'permission' || text.startsWith('<tool_use_error>'))
  },
  hidesCalls: () => false,
  readers: ['Read', 'Glob', 'Grep', 'Skill'],
}

/** Tools of its own of which it is not known whether hooks are asked. */
const UNKNOWN: ReadonlySet<string> = new Set(['StructuredOutput', 'ToolSearch'])
