import { AgentEvalsError } from '../../errors.ts'
import { formatIssue } from '../../documents/issue.ts'
import type { AgentPackage, PackageFinding } from '../../packages/package.ts'
import type { EvalCase } from '../../suites/suite.ts'

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
