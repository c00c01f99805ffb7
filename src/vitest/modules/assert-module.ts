import { ownFile } from '../../own-folder.ts'
import type { Runtime } from '../../assert/native-payload.ts'
import type { AssertCase, TestSuite } from '../../suites/tests/test-suite.ts'
import { assembleModule, quoteName, type GeneratedLine, type TestModule } from './test-module.ts'

/**
 * Turns a file of free tests into the test module that stands in for it. It holds no more than names and places: the
 * worker reads the file, its configuration and its fixture itself, so that a change of any of them counts at once.
 *
 * @param runtimes - those in whose spelling the event of a hook is sent once more, as a test of its own.
 */
export function createAssertModule(suite: TestSuite, text: string, runtimes: readonly Runtime[]): TestModule {
  return assembleModule(suite.file, text, [
    [`import { testAssertion } from ${JSON.stringify(RUNTIME)};`, null],
    ...suite.cases.flatMap((assertCase) => [
      ...linesOfTest(assertCase, suite.file, null),
      ...(assertCase.kind === 'hook'
        ? runtimes.flatMap((runtime) => linesOfTest(assertCase, suite.file, runtime))
        : []),
    ]),
  ])
}

const RUNTIME = ownFile('vitest/runtime/test-assertion.js')

function linesOfTest(assertCase: AssertCase, file: string, runtime: Runtime | null): readonly GeneratedLine[] {
  const name = runtime === null ? assertCase.name : `${assertCase.name} (${runtime} payload)`
  const where = JSON.stringify({ file, id: assertCase.id, runtime })
  return [
    [`testAssertion(${quoteName(name)}, { tags: [] }, ${where}, async (steps) => {`, assertCase.at],
    ['await steps.run();', assertCase.runAt],
    ...assertCase.assertions.map(({ at }, index): GeneratedLine => [`steps.check(${index});`, at]),
    ['});', assertCase.at],
  ]
}
