import { encode } from '@jridgewell/sourcemap-codec'
import type { Runtime } from '../../case/free-tests/hook-payload.ts'
import type { AssertCase, TestSuite } from '../../formats/free-tests/test-suite.ts'
import type { EvalCase, Suite } from '../../formats/suite.ts'
import type { Position } from '../../lib/documents/document.ts'
import { ownFile } from '../../own-folder.ts'
import { pack } from '../provided.ts'

/** What the transform of a suite file returns. */
interface TestModule {
  readonly code: string
  readonly map: LineMap
  readonly moduleType: 'js'
}

/**
 * Turns a suite into the test module that replaces its file. Every generated line is for one line of the
 * suite file, so that Vitest's frames, filters and editors point there.
 *
 * @param selected - cases that run; the others stay visible as skipped tests.
 */
export function createTestModule(suite: Suite, text: string, selected: readonly EvalCase[]): TestModule {
  const { cases, ...shared } = suite
  const running = new Set(selected)
  const lines: GeneratedLine[] = [
    [`import { testCase as declared, unpack } from ${JSON.stringify(RUNTIME)};`, null],
    // Vite rewrites every use of what is imported, and maps the code around each.
    ['const testCase = declared;', null],
    [`const [suite, cases] = unpack("${pack([shared, cases])}");`, null],
    ...cases.flatMap((evalCase, index) => linesOfCase(evalCase, index, running.has(evalCase))),
  ]
  return assembleModule(suite.file, text, lines)
}

/** Puts generated lines together; each is for one line of the suite file, or for none. */
function assembleModule(file: string, text: string, lines: readonly GeneratedLine[]): TestModule {
  const code = `${lines.map(([line]) => line).join('\n')}\n`
  const map = createLineMap(
    file,
    text,
    lines.map(([, at]) => at),
  )
  return { code, map, moduleType: 'js' }
}

/** A line of a generated module, and its place in the suite file. */
type GeneratedLine = readonly [code: string, at: Position | null]

// An absolute path: the same from sources and from the built package, and never another copy of the package.
const RUNTIME = ownFile('vitest/runtime/test-case.js')

// Vitest's static parser wants a callee that starts with `test`, a plain string and unquoted option keys.
function linesOfCase(evalCase: EvalCase, index: number, selected: boolean): readonly GeneratedLine[] {
  const tags = evalCase.tags.length === 0 ? [] : [`tags: ${JSON.stringify(evalCase.tags)}`]
  const options = `{ ${[...tags, ...(selected ? [] : ['skip: true'])].join(', ')} }`
  return [
    [`testCase(${quoteName(evalCase.name)}, ${options}, suite, cases[${index}], async (steps) => {`, evalCase.at],
    ['await steps.run();', evalCase.promptAt],
    // What does not hold without the skill fails no line.
    ...(evalCase.arm === undefined ? linesOfExpectations(evalCase) : []),
    ['});', evalCase.at],
  ]
}

function linesOfExpectations(evalCase: EvalCase): readonly GeneratedLine[] {
  const { checks, criteria, promptAt } = evalCase
  return [
    ...checks.map((check, index): GeneratedLine => [`await steps.check(${index});`, check.at]),
    ...linesOfCriteria(criteria),
    ['await steps.end();', promptAt],
  ]
}

// Statements that are listed fail each at its own line.
function linesOfCriteria(criteria: EvalCase['criteria']): readonly GeneratedLine[] {
  if (criteria === null) return []
  if (criteria.statements === undefined) return [['await steps.judge();', criteria.at]]
  return criteria.statements.map(({ at }, index): GeneratedLine => [`await steps.expectation(${index});`, at])
}

/** Writes a test's name. The static parser takes the raw text between the quotes, so prefer one that needs no escape. */
function quoteName(name: string): string {
  const plain = !/[\\\n\r\u2028\u2029]/.test(name) && !name.includes('${')
  const mark = plain ? ['"', "'", '`'].find((candidate) => !name.includes(candidate)) : undefined
  return mark === undefined ? JSON.stringify(name) : `${mark}${name}${mark}`
}

/** A source map, version 3. */
interface LineMap {
  readonly version: 3
  readonly file: string
  readonly sources: string[]
  readonly sourcesContent: string[]
  readonly names: string[]
  readonly mappings: string
}

/** Maps each generated line to a position of one file, or to nothing for `null`. */
export function createLineMap(file: string, text: string, lines: readonly (Position | null)[]): LineMap {
  const mappings = encode(lines.map((at) => (at === null ? [] : [[0, 0, at.line - 1, at.column - 1]])))
  return { version: 3, file, sources: [file], sourcesContent: [text], names: [], mappings }
}

/**
 * Turns a file of free tests into the test module that stands in for it. It holds no more than names and places: the
 * worker reads the file, its configuration and its fixture itself, so that a change of any of them counts at once.
 *
 * @param runtimes - those in whose spelling the event of a hook is sent once more, as a test of its own.
 */
export function createAssertModule(suite: TestSuite, text: string, runtimes: readonly Runtime[]): TestModule {
  return assembleModule(suite.file, text, [
    [`import { testAssertion } from ${JSON.stringify(ASSERT_RUNTIME)};`, null],
    ...suite.cases.flatMap((assertCase) => [
      ...linesOfTest(assertCase, suite.file, null),
      ...(assertCase.kind === 'hook'
        ? runtimes.flatMap((runtime) => linesOfTest(assertCase, suite.file, runtime))
        : []),
    ]),
  ])
}

const ASSERT_RUNTIME = ownFile('vitest/runtime/test-assertion.js')

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
