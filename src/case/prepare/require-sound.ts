import { AgentEvalsError } from '../../errors.ts'
import { kindOf } from '../../checks/checks.ts'
import { pathFrom } from '../../packages/package-root.ts'
import { formatIssue } from '../../documents/issue.ts'
import type { AgentPackage, PackageFinding } from '../../packages/package.ts'
import type { EvalCase } from '../../suites/suite.ts'

/**
 * Refuses a case with a check that cannot be made, before anything is spent.
 *
 * @throws {AgentEvalsError} `invalid-check` with the place of each.
 */
export async function requireChecks({ checks }: Pick<EvalCase, 'checks'>, file: string, root: string): Promise<void> {
  const found = await Promise.all(
    checks.map(async (check) => ({ check, problem: (await kindOf(check.kind)?.problem?.(check)) ?? null })),
  )
  const lines = found.flatMap(({ check: { kind, at }, problem }) =>
    problem === null ? [] : [`${pathFrom(root, file)}:${at.line}:${at.column} ${kind}: ${problem}`],
  )
  if (lines.length > 0) throw new AgentEvalsError('invalid-check', lines.join('\n'))
}

/**
 * Refuses a case whose subject is broken, before anything starts.
 *
 * @throws {AgentEvalsError} `missing-input` with every error that concerns the case.
 */
export function requireSound(
  { findings }: Pick<AgentPackage, 'findings'>,
  { target }: Pick<EvalCase, 'target'>,
  root: string,
): void {
  const concerns = ({ part }: PackageFinding): boolean =>
    part === null || (target !== null && part.kind === target.kind && part.name === target.name)
  const errors = findings.filter((finding) => finding.severity === 'error' && concerns(finding))
  if (errors.length > 0)
    throw new AgentEvalsError('missing-input', errors.map((finding) => formatIssue(finding, root)).join('\n'))
}
