import { checkOutput, type AssertFinding } from './check-output.ts'
import { describeAssertion } from './describe-assertion.ts'
import { performCommandTest } from './perform-command-test.ts'
import { performHookTest } from './perform-hook-test.ts'
import { performSkillTest } from './perform-skill-test.ts'
import type { Performed } from './perform.ts'
import type { AssertRequest } from './request.ts'
import type { AgentPackage } from '../packages/package.ts'

/** What a free test found. */
export interface AssertResult {
  /** Why nothing was run; `null` when something was. */
  readonly skipped: string | null
  /** The run itself went wrong, so that no expectation was looked at. */
  readonly broken: AssertFinding | null
  /** One for each expectation, in their order. */
  readonly findings: readonly AssertFinding[]
}

/**
 * Runs one free test in a copy of its package and checks what came out.
 *
 * @throws {AgentEvalsError} when it could not be run: a file that it needs is missing, or it was stopped.
 */
export async function runAssertCase(request: AssertRequest): Promise<AssertResult> {
  const pkg = await request.packages.packageOf(request.suite.packageRoot)
  const performed = await perform(request, pkg)
  switch (performed.kind) {
    case 'skipped':
      return { skipped: performed.reason, broken: null, findings: [] }
    case 'broken': {
      const { message, expected, actual, output } = performed
      const broken = {
        outcome: 'failed',
        message: describeAssertion(message, output, request),
        expected,
        actual,
      } as const
      return { skipped: null, broken, findings: [] }
    }
    case 'ended': {
      const findings = request.assertCase.assertions.map((assertion) => checkOutput(assertion, performed.output))
      return { skipped: null, broken: null, findings: explainFirst(findings, performed.output, request) }
    }
  }
}

async function perform(request: AssertRequest, pkg: AgentPackage): Promise<Performed> {
  const { assertCase } = request
  if (assertCase.kind === 'command') return performCommandTest(assertCase, pkg)
  using copy = request.copies.take(pkg)
  return assertCase.kind === 'skill'
    ? await performSkillTest(assertCase, copy, request)
    : await performHookTest(assertCase, pkg, copy, request)
}

// The output is shown once, however many expectations it disappoints.
function explainFirst(
  findings: readonly AssertFinding[],
  output: Parameters<typeof describeAssertion>[1],
  request: AssertRequest,
): readonly AssertFinding[] {
  const first = findings.findIndex(({ outcome }) => outcome === 'failed')
  return findings.map((finding, index) =>
    index === first && finding.outcome === 'failed'
      ? { ...finding, message: describeAssertion(finding.message, output, request) }
      : finding,
  )
}
