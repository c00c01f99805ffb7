import { join } from 'node:path'
import { z } from 'zod'
import {
  documentAt,
  errorAt,
  isError,
  ofCase,
  valueAt,
  type Issue,
  type ReadDocument,
} from '../../lib/documents/document.ts'
import { readDocument } from '../../lib/documents/read-document.ts'
import { openTrackedFs, type ReadText, type TrackedFs } from '../../lib/documents/read-text.ts'
import { validate, type Validated } from '../../lib/documents/validate.ts'
import type { AgentPackage } from '../../packages/package.ts'
import { envValue, timeout } from '../aam/aam-schema.ts'
import type { SuiteCache } from '../format.ts'
import { createSuiteCache } from '../load-suite.ts'
import { testFoldersOf, type TestFolders } from '../places.ts'
import { parseCommandTest, parseSkillTest } from './command-test.ts'
import { parseHookTest } from './hook-test.ts'
import type { AssertCase, BrokenTest, TestConfig, TestSuite } from './test-suite.ts'

/** What {@link loadTestSuite} needs to know. */
interface LoadTestSuiteOptions {
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
  const folders = testFoldersOf(file) ?? NOWHERE
  const configFile = join(folders.testsDir, 'test-config.json')
  const [read, configText, agentPackage] = await Promise.all([
    fs.readText(file),
    fs.readText(configFile),
    cache.packageOf(folders.packageRoot),
  ])
  const { config, issues } = parseTestConfig(configText, configFile)
  const suite = { format: folders.format, file, packageRoot: agentPackage.root, partDir: folders.partDir, config }
  if (read.issue !== null) return { ...suite, cases: [], issues: [...issues, read.issue] }

  const document = readDocument(read.text, { kind: 'yaml', file, what: 'case' })
  const parsed = await parseAll(document, (entry) => parse(entry, folders, agentPackage, fs))
  const commands = parsed.cases.flatMap((one) => commandFiles(one, agentPackage))
  // What the package says decides what is wrong with a case.
  for (const path of [folders.partDir, join(folders.partDir, 'hooks.json'), ...commands]) fs.look(path)
  return { ...suite, cases: parsed.cases, issues: [...issues, ...parsed.issues] }
}

/** Reads the case of a file, or each of its list: a mistake in an entry of a list costs that entry alone. */
async function parseAll(
  document: ReadDocument,
  parseOne: (entry: ReadDocument) => Promise<Validated<AssertCase>>,
): Promise<Pick<TestSuite, 'cases' | 'issues'>> {
  if (!Array.isArray(document.value)) {
    const { value, issues } = await parseOne(document)
    return { cases: value === null ? [] : [value], issues }
  }
  if (document.value.length === 0)
    return { cases: [], issues: [errorAt(document, [], 'empty-file', 'no case in the list')] }
  const entries = await Promise.all(
    document.value.map(async (_, index) => {
      const entry = documentAt(document, [index])
      const { value, issues } = await parseOne(entry)
      return { entry, value, issues: [...issues, ...sameName(entry, document, index)] }
    }),
  )
  return {
    cases: entries.map(({ entry, value, issues }) =>
      issues.some(isError) || value === null ? brokenTest(entry, issues.filter(isError)) : value,
    ),
    issues: entries.flatMap(({ issues }) => issues.map(ofCase)),
  }
}

function sameName(entry: ReadDocument, { value }: ReadDocument, index: number): readonly Issue[] {
  const name = valueAt(entry.value, 'name')
  const first = (value as readonly unknown[]).findIndex((one) => name !== undefined && valueAt(one, 'name') === name)
  if (first === -1 || first === index) return []
  const message = `case ${first + 1} of the list has the name ${JSON.stringify(name)} too; give each its own`
  return [errorAt(entry, ['name'], 'duplicate-name', message)]
}

// Keeps the place of a case that cannot run: its test says what is wrong.
function brokenTest(entry: ReadDocument, issues: readonly Issue[]): BrokenTest {
  const at = entry.positionOf([])
  const name = `case ${Number(entry.path.at(-1)) + 1}`
  return { kind: 'broken', id: name, name, description: null, assertions: [], issues, at, runAt: at }
}

// For a path without a test; the caller sees the file's own mistakes.
const NOWHERE: TestFolders = { format: 'skill-test', testsDir: '/', partDir: '/', packageRoot: '/' }

function commandFiles(test: AssertCase, { commands }: AgentPackage): readonly string[] {
  return test.kind === 'command' ? commands.filter(({ name }) => name === test.command).map(({ file }) => file) : []
}

async function parse(
  document: ReadDocument,
  { format, testsDir }: TestFolders,
  agentPackage: AgentPackage,
  fs: TrackedFs,
): Promise<Validated<AssertCase>> {
  switch (format) {
    case 'skill-test':
      return parseSkillTest(document)
    case 'hook-test':
      return parseHookTest(document, { testsDir, agentPackage, fs })
    case 'command-test':
      return parseCommandTest(document, agentPackage)
  }
}

/** What counts without the file. */
const TEST_DEFAULTS: TestConfig = { file: null, timeout: 30, env: {} }

// Unlike an agent's, a script's environment is the author's to choose; only our own names stay ours.
const envName = z
  .string()
  .regex(/^[A-Za-z_]\w*$/, 'not a variable name; use A-Z, 0-9 and _, not starting with a digit')
  .refine((name) => !name.startsWith('AGENT_EVALS_'), 'is reserved; choose another name')

const configSchema = z.strictObject({
  version: z.literal(1),
  timeout: timeout.default(TEST_DEFAULTS.timeout),
  env: z.record(envName, envValue).default(TEST_DEFAULTS.env),
})

/** Reads the text of a test-config.json. A file that is not there leaves the defaults. */
function parseTestConfig({ text, issue }: ReadText, file: string): Pick<TestSuite, 'config' | 'issues'> {
  if (issue !== null) return { config: TEST_DEFAULTS, issues: issue.code === 'file-missing' ? [] : [issue] }
  const document = readDocument(text, { kind: 'json', file, what: 'configuration' })
  const { value, issues } = validate(document, configSchema)
  return { config: value === null ? TEST_DEFAULTS : { file, timeout: value.timeout, env: value.env }, issues }
}
