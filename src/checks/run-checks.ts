import { kindOf, runCheck, type DeclaredCheck } from './checks.ts'
import type { CheckResult, Finding, RunScript, SeenFile, SeenRun } from './check.ts'

/** What the workspace has shown of declared checks, before it was removed. */
export interface SeenChecks {
  readonly read: SeenRun['read']
  /** What `observe` has found. */
  readonly found: ReadonlyMap<DeclaredCheck, Finding>
}

/** A workspace that nobody has looked at. */
export const NO_CHECK_SEEN: SeenChecks = { read: () => 'unknown', found: new Map() }

type CaseTarget = { readonly kind: string; readonly name: string } | null

/** Looks at the workspace for everything that declared checks need of it. */
export async function observeChecks(
  declared: readonly DeclaredCheck[],
  run: SeenRun['run'],
  target: CaseTarget,
  readFile: (path: string) => Promise<SeenFile>,
  runScript: RunScript,
): Promise<SeenChecks> {
  const paths = [...new Set(declared.flatMap((check) => kindOf(check.kind)?.reads?.(check, run) ?? []))]
  const files = new Map(await Promise.all(paths.map(async (path) => [path, await readFile(path)] as const)))
  const read: SeenRun['read'] = (path) => files.get(path) ?? 'unknown'
  const found = new Map<DeclaredCheck, Finding>()
  for (const check of declared) {
    const finding = await kindOf(check.kind)?.observe?.(check, { run, hook: hookOf(target), read, runScript })
    if (finding !== undefined) found.set(check, finding)
  }
  return { read, found }
}

/** Checks a completed run against what its case declares, in that order. All are run, so that one failure hides no other. */
export function runChecks(
  declared: readonly DeclaredCheck[],
  run: SeenRun['run'],
  target: CaseTarget,
  { read, found }: SeenChecks = NO_CHECK_SEEN,
): readonly CheckResult[] {
  const seen: SeenRun = { run, hook: hookOf(target), read }
  return declared.map((check) => {
    const { outcome, message, seen: shown = '', ...diff } = found.get(check) ?? runCheck(check, seen)
    const { kind, value, at } = check
    const implied = 'implied' in check && check.implied ? { implied: true as const } : {}
    const said = outcome === 'passed' ? '' : (message ?? shown)
    const label = kindOf(kind)?.label?.(check) ?? (typeof value === 'number' ? String(value) : value)
    return { kind, value: label, at, outcome, message: said, ...diff, ...implied }
  })
}

function hookOf(target: CaseTarget): string | null {
  return target?.kind === 'hook' ? target.name : null
}
