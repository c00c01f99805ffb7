import { isUnchanged } from '../../checks/file-facts.ts'
import { isPathBelow } from '../../checks/nearest-path.ts'
import type { RunSettings } from '../../settings.ts'
import type { DeclaredCheck } from '../../checks/checks.ts'
import type { EvalCase, Suite } from '../../suites/suite.ts'
import type { Position } from '../../documents/issue.ts'
import type { AgentRun } from '../../transcript/agent-run.ts'

/** What a case declares, and that its fixtures stay as they are where that was asked for. */
export function checksOf(
  suite: Pick<Suite, 'skill'>,
  evalCase: Pick<EvalCase, 'checks' | 'files' | 'workspaceFiles'>,
  { readOnlyFixtures }: Pick<RunSettings, 'readOnlyFixtures'>,
): readonly DeclaredCheck[] {
  if (!readOnlyFixtures || suite.skill === undefined) return evalCase.checks
  const unchanged = fixturesOf(evalCase).map(({ to, at }) => ({ kind: 'file-unchanged' as const, value: to, at }))
  return [...evalCase.checks, ...unchanged]
}

/** Names the fixtures that a run has changed or deleted. They are copies, so an eval may be about just that. */
export function changedFixtures(
  suite: Pick<Suite, 'skill'>,
  evalCase: Pick<EvalCase, 'files' | 'workspaceFiles'>,
  run: AgentRun,
): readonly string[] {
  if (suite.skill === undefined) return []
  const fixtures = fixturesOf(evalCase)
  const changed = [...run.files.modified.map(({ path }) => path), ...run.files.deleted]
  const found = changed.filter((path) => fixtures.some(({ to }) => isPathBelow(path, to)))
  const unknown = fixtures.flatMap(({ to }) => {
    const fact = isUnchanged(to, run.files)
    return fact.is === 'unknown' ? [`${to} (${fact.because})`] : []
  })
  return [
    ...(found.length === 0 ? [] : [`The run changed fixtures: ${found.slice(0, 10).join(', ')}.`]),
    ...(unknown.length === 0
      ? []
      : [`It is unknown whether the run changed fixtures: ${unknown.slice(0, 10).join(', ')}.`]),
  ]
}

/** The files that a case brings, those that stand in the case itself included. */
export function fixturesOf({
  files,
  workspaceFiles,
}: Pick<EvalCase, 'files' | 'workspaceFiles'>): readonly { readonly to: string; readonly at: Position }[] {
  return [...files, ...workspaceFiles]
}
