import { AgentEvalsError } from '../../errors.ts'
import { formatIssue } from '../../documents/issue.ts'
import type { AgentPackage, PackageFinding } from '../../packages/package.ts'
import type { EvalCase } from '../../suites/suite.ts'

/**
 * Refuses a case whose subject is broken, before anything starts; returns the other findings of the package.
 *
 * @throws {AgentEvalsError} `missing-input` with every error that concerns the case.
 */
export function packageFindings(
  pkg: AgentPackage,
  { target }: Pick<EvalCase, 'target'>,
  root: string,
): readonly string[] {
  const concerns = ({ part }: PackageFinding): boolean =>
    part === null || (target !== null && part.kind === target.kind && part.name === target.name)
  const errors = pkg.findings.filter((finding) => finding.severity === 'error' && concerns(finding))
  const words = (finding: PackageFinding): string => formatIssue(finding, root)
  if (errors.length > 0) throw new AgentEvalsError('missing-input', errors.map(words).join('\n'))

  const missing = pkg.missingDependencies.map(
    (name) => `The dependency ${name} is not installed; the agent runs without it.`,
  )
  return [...pkg.findings.map(words), ...missing]
}
