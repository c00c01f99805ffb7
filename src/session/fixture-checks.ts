import { isPathBelow } from '../checks/nearest-path.ts'
import type { RunSettings } from '../run-settings.ts'
import type { DeclaredCheck, EvalCase, Suite } from '../suites/suite.ts'
import type { AgentRun } from '../transcript/agent-run.ts'

/** What a case declares, and that its fixtures stay as they are where that was asked for. */
export function checksOf(
  suite: Pick<Suite, 'skill'>,
  evalCase: Pick<EvalCase, 'checks' | 'files'>,
  { readOnlyFixtures }: Pick<RunSettings, 'readOnlyFixtures'>,
): readonly DeclaredCheck[] {
  if (!readOnlyFixtures || suite.skill === undefined) return evalCase.checks
  const unchanged = evalCase.files.map(({ to, at }) => ({ kind: 'file-unchanged' as const, value: to, at }))
  return [...evalCase.checks, ...unchanged]
}

/** Names the fixtures that a run has changed or deleted. They are copies, so an eval may be about just that. */
export function changedFixtures(
  suite: Pick<Suite, 'skill'>,
  { files }: Pick<EvalCase, 'files'>,
  run: AgentRun,
): readonly string[] {
  if (suite.skill === undefined) return []
  const changed = [...run.files.modified.map(({ path }) => path), ...run.files.deleted]
  const found = changed.filter((path) => files.some(({ to }) => isPathBelow(path, to)))
  return found.length === 0 ? [] : [`The run changed fixtures: ${found.slice(0, 10).join(', ')}.`]
}
