import { join } from 'node:path'
import { openTrackedFs, type TrackedFs } from '../../documents/tracked-fs.ts'
import { readDocument } from '../../documents/read-document.ts'
import { parseCommandTest } from '../formats/tests/command-test.ts'
import { parseHookTest } from '../formats/tests/hook-test.ts'
import { parseSkillTest, type ParsedTest } from '../formats/tests/skill-test.ts'
import { parseTestConfig } from '../formats/tests/test-config.ts'
import { createSuiteCache, type SuiteCache } from '../suite-cache.ts'
import { testPlaceOf, type TestPlace } from './test-place.ts'
import type { ReadDocument } from '../../documents/document.ts'
import type { AgentPackage } from '../../packages/package.ts'
import type { AssertCase, TestSuite } from './test-suite.ts'

/** What {@link loadTestSuite} needs to know. */
export interface LoadTestSuiteOptions {
  /** Shares packages between suites. */
  readonly cache?: Pick<SuiteCache, 'packageOf'>
  /** Remembers what was read, so that the suite can be kept while nothing changes. */
  readonly fs?: TrackedFs
}

/** Reads a file of free tests with its configuration, fixture and package. Never throws: everything wrong is among its issues. */
export async function loadTestSuite(
  file: string,
  { cache = createSuiteCache(), fs = openTrackedFs() }: LoadTestSuiteOptions = {},
): Promise<TestSuite> {
  const place = testPlaceOf(file) ?? NOWHERE
  const configFile = join(place.testsDir, 'test-config.json')
  const [read, configText, agentPackage] = await Promise.all([
    fs.readText(file),
    fs.readText(configFile),
    cache.packageOf(place.packageRoot),
  ])
  const { config, issues } = parseTestConfig(configText, configFile)
  const suite = { format: place.format, file, packageRoot: agentPackage.root, partDir: place.partDir, config }
  if (read.issue !== null) return { ...suite, cases: [], issues: [...issues, read.issue] }

  const document = readDocument(read.text, { kind: 'yaml', file, what: 'case' })
  const parsed = await parse(document, place, agentPackage, fs)
  // What the package says decides what is wrong with the case.
  for (const path of [place.partDir, join(place.partDir, 'hooks.json'), ...commandFiles(parsed.test, agentPackage)])
    fs.look(path)
  const cases = parsed.test === null ? [] : [parsed.test]
  return { ...suite, cases, issues: [...issues, ...parsed.issues] }
}

// For a path without a test; the caller sees the file's own mistakes.
const NOWHERE: TestPlace = { format: 'skill-test', testsDir: '/', partDir: '/', packageRoot: '/' }

function commandFiles(test: AssertCase | null, { commands }: AgentPackage): readonly string[] {
  return test?.kind === 'command' ? commands.filter(({ name }) => name === test.command).map(({ file }) => file) : []
}

function parse(
  document: ReadDocument,
  place: TestPlace,
  agentPackage: AgentPackage,
  fs: TrackedFs,
): ParsedTest<AssertCase> | Promise<ParsedTest<AssertCase>> {
  switch (place.format) {
    case 'skill-test':
      return parseSkillTest(document)
    case 'hook-test':
      return parseHookTest(document, { testsDir: place.testsDir, agentPackage, fs })
    case 'command-test':
      return parseCommandTest(document, agentPackage)
  }
}
