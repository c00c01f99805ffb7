import { inject, test, vi, type TestContext } from 'vitest'
import { AgentEvalsError } from '../../lib/errors.ts'
import { runAssertCase, type AssertResult } from '../../case/free-tests/run-free-test.ts'
import { failsFile, formatIssue } from '../../lib/documents/document.ts'
import { loadTestSuite } from '../../formats/free-tests/load-test-suite.ts'
import { createSuiteCache } from '../../formats/load-suite.ts'
import { createPackageCopies, type PackageCopies } from '../../session/package-copy.ts'
import type { Runtime } from '../../case/free-tests/hook-payload.ts'
import type { AssertCase, RunnableTest, TestSuite } from '../../formats/free-tests/test-suite.ts'
import '../provided.ts'

/** The free test behind a generated one. */
export interface FreeTestRef {
  /** Absolute path of the suite file. */
  readonly file: string
  readonly id: string
  readonly runtime: Runtime | null
}

/** The steps of a free test, one for each line of its file that can fail. */
export interface AssertSteps {
  /** Runs what is tested; throws when that alone fails the test. */
  run(): Promise<void>
  /** Reports the expectation of this index. */
  check(index: number): void
}

/** Declares a free test. Called by generated modules only. */
export function testAssertion(
  name: string,
  options: { readonly tags: string[] },
  ref: FreeTestRef,
  body: (steps: AssertSteps) => Promise<void>,
): void {
  // The deadline is the one of test-config.json, which the scripts are held to; Vitest's own is off.
  test(name, { ...options, timeout: 0 }, (context) => body(createSteps(context, ref)))
}

function createSteps(context: TestContext, ref: FreeTestRef): AssertSteps {
  let result: AssertResult | undefined
  // `defineHelper` removes these frames, so that the first one is the suite file's own line.
  return {
    run: vi.defineHelper(async () => {
      result = await runPlaced(ref, context.signal).catch((error: unknown) => {
        // Made anew, its frames are those that are removed.
        throw error instanceof AgentEvalsError
          ? new AgentEvalsError(error.code, error.message, { cause: error.cause })
          : error
      })
      if (result.skipped !== null) context.skip(result.skipped)
      if (result.broken !== null) context.expect(result.broken).toHavePassedCheck()
    }),
    check: vi.defineHelper((index: number) => {
      const finding = result?.findings[index]
      if (finding?.outcome === 'failed') context.expect.soft(finding).toHavePassedCheck()
    }),
  }
}

async function runPlaced({ file, id, runtime }: FreeTestRef, signal: AbortSignal): Promise<AssertResult> {
  const settings = inject('agentAsserts')
  const { cases, issues, ...suite } = await loadTestSuite(file, { cache: packages })
  const assertCase = findCase(cases, id, issues, settings.root)
  copies ??= createPackageCopies(settings.copies)
  return runAssertCase({ suite, assertCase, runtime, settings, packages, copies, signal })
}

// The configuration or a fixture may have been broken since the module was made.
function findCase(cases: readonly AssertCase[], id: string, issues: TestSuite['issues'], root: string): RunnableTest {
  const assertCase = cases.find((candidate) => candidate.id === id)
  const isBroken = assertCase?.kind === 'broken'
  const errors = [...issues.filter(failsFile), ...(isBroken ? assertCase.issues : [])]
  if (errors.length === 0 && assertCase !== undefined && !isBroken) return assertCase
  const reason = errors.map((issue) => formatIssue(issue, root)).join('\n')
  throw new AgentEvalsError(
    'invalid-suite',
    reason === '' ? `There is no case ${JSON.stringify(id)} any more. Run again.` : reason,
  )
}

// One of each a worker, however many files it runs.
const packages = createSuiteCache()
let copies: PackageCopies | undefined
