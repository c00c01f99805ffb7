import type { HookCoverage } from '../hooks/hook-coverage.ts'

/** Codex asks hooks about commands, patches and tools of servers, once it could read the call. */
export const HOOK_COVERAGE: HookCoverage = {
  isSure(event, { call: { tool }, result: { text, isError, blockedBy } }) {
    const isServer = tool.startsWith('mcp__')
    if (!isServer && tool !== 'Bash' && tool !== 'apply_patch') return false
    if (REFUSED.test(text) || blockedBy === 'permission') return false
    // A command that goes on in the background has no end that a hook learns of.
    return event === 'pre-tool-use' || (isServer && !isError)
  },
  // One call of some models is a script.
  hidesCalls: (tool) => tool === 'exec',
  readers: [],
}

const REFUSED = /^(?:aborted$|unsupported call: |failed to parse |\w+ failed: )/
