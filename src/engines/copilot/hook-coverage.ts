import type { HookCoverage } from '../hooks/hook-coverage.ts'

/** Copilot asks hooks about every call, even one of an unknown tool. */
export const HOOK_COVERAGE: HookCoverage = {
  isSure: (event, { result: { isError, blockedBy } }) =>
    event === 'pre-tool-use' ? blockedBy !== 'permission' : !isError,
  // A denial that a hook has given has its reason behind a colon.
  isBroken: ({ text }) => /^Denied by \w+ hook from /.test(text),
  hidesCalls: () => false,
  // By the names that its stream is given here.
  readers: ['Read', 'Glob', 'Grep', 'skill'],
}
