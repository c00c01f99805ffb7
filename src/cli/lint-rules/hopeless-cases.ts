import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import type { Issue } from '../../documents/issue.ts'
import type { AgentPackage } from '../../packages/package.ts'
import type { DeclaredCheck, EvalCase, Suite } from '../../suites/suite.ts'

/** Warnings for cases that can never pass, whatever the agent does. */
export function findHopelessCases(
  { cases, file }: Suite,
  { hookGroups }: Pick<AgentPackage, 'hookGroups'>,
): readonly Issue[] {
  return cases.flatMap((evalCase) =>
    evalCase.checks.flatMap((check) => {
      const message = whyHopeless(check, evalCase, hookGroups.length > 0)
      return message === null
        ? []
        : [{ code: 'never-passes', severity: 'warning', file, field: '', message, ...check.at }]
    }),
  )
}

function whyHopeless(check: DeclaredCheck, evalCase: EvalCase, hasHooks: boolean): string | null {
  if (check.kind === 'not-contains') {
    const { value } = check
    const both = evalCase.checks.find((other) => other.kind === 'contains' && other.value.includes(value))
    return both === undefined
      ? null
      : `the output has to contain ${JSON.stringify(both.value)}, which contains this text`
  }
  if (check.kind === 'agent-blocked')
    return check.value && !hasHooks ? 'no hook of the package can block the agent, so it is never blocked' : null
  if (check.kind !== 'files-created') return null
  if (/[*?]/.test(check.value) || (/\{[^{},]*,/.test(check.value) && check.value.includes('}')))
    return 'a path is expected, not a pattern: no file has this name'
  return isThereBefore(check.value, evalCase) ? 'the file exists before the run, so the agent cannot create it' : null
}

function isThereBefore(path: string, { files, workspaceFiles, overlays = [] }: EvalCase): boolean {
  const wanted = path.replace(/^\.\//, '')
  if ([...files, ...workspaceFiles].some(({ to }) => to === wanted)) return true
  return overlays.some((overlay) => lstatSync(join(overlay, wanted), { throwIfNoEntry: false })?.isFile() === true)
}
