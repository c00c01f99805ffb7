import { kindOf, runCheck, type DeclaredCheck } from './checks.ts'
import type { CheckResult, SeenRun } from './check.ts'

/** Checks a completed run against what its case declares, in that order. All are run, so that one failure hides no other. */
export function runChecks(
  declared: readonly DeclaredCheck[],
  run: SeenRun['run'],
  target: { readonly kind: string; readonly name: string } | null,
): readonly CheckResult[] {
  const seen: SeenRun = { run, hook: target?.kind === 'hook' ? target.name : null, read: () => 'unknown' }
  return declared.map((check) => {
    const { outcome, message, seen: found = '', ...diff } = runCheck(check, seen)
    const { kind, value, at } = check
    const implied = 'implied' in check && check.implied ? { implied: true as const } : {}
    const said = outcome === 'passed' ? '' : (message ?? found)
    return { kind, value: kindOf(kind)?.label?.(check) ?? value, at, outcome, message: said, ...diff, ...implied }
  })
}
