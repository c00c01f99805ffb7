import { basename, dirname, extname, isAbsolute, join, posix } from 'node:path'
import { TOP, errorIn, isError, ofCase, type Issue } from '../../lib/documents/document.ts'
import { homeFolder } from '../../lib/files.ts'
import { openTrackedFs, type TrackedFs } from '../../lib/documents/read-text.ts'
import { AAM_DEFAULTS } from '../aam/aam-defaults.ts'
import type { Format } from '../format.ts'
import { kindOf } from '../kinds.ts'
import { toPathSegment } from '../paths.ts'
import { PLAIN_CASE, type AgentUnderTest, type EvalCase, type GoldenTest, type Suite } from '../suite.ts'
import { discoverGolden, evalsDirOf, parseGoldenTest } from './golden-test.ts'
import type { LoadedAgent } from './load-agent.ts'

/** Golden tests of an agent: a document each. */
export const golden: Format = {
  files: {
    find: async ({ agentsRoot }) => (await discoverGolden(agentsRoot)).ours,
    recognises: (file) => Promise.resolve(evalsDirOf(file) !== null),
    load(file, { cache, fs }) {
      // A golden test is what its agent's rubric and judge make of it.
      for (const name of ['rubric.md', 'judge.md', '../model.md']) fs.look(join(evalsDirOf(file) ?? '', name))
      return loadGoldenSuite(file, cache.agentOf)
    },
  },
  // A file has one case.
  recordingFolder: (suite) => posix.dirname(suite),
  defaultTimeout: 600,
  kind: 'golden',
  lint: (suite) => findMissingJudge(suite),
  extras: ['run-log'],
}

/**
 * Reads one golden test. Never throws: everything wrong is among its issues. What is wrong with the test alone has it
 * skipped, so that the others of the agent run; what is wrong with rubric or judge fails them all.
 */
async function loadGoldenSuite(file: string, agentOf: (evalsDir: string) => Promise<LoadedAgent>): Promise<Suite> {
  const evalsDir = evalsDirOf(file) ?? dirname(file)
  const fs = openTrackedFs()
  const [{ agent, issues }, read] = await Promise.all([agentOf(evalsDir), fs.readText(file)])
  const shared = { format: 'golden', file, packageRoot: dirname(evalsDir), config: AAM_DEFAULTS } as const
  if (agent === null) return { ...shared, cases: [], issues }

  const parsed = read.issue === null ? parseGoldenTest(read.text, file, agent) : { value: null, issues: [read.issue] }
  const missing = parsed.value === null ? [] : findMissingSources(parsed.value.golden, file, agent, fs)
  const ownIssues = [...parsed.issues, ...missing].map(ofCase)
  const reason = ownIssues.find(isError)
  const evalCase = parsed.value ?? unreadableCase(file, agent)
  const field = reason === undefined || reason.field === '' ? '' : `${reason.field}: `
  const why = reason === undefined ? {} : { skipped: `${basename(file)}:${reason.line}: ${field}${reason.message}` }
  return { ...shared, cases: [{ ...evalCase, ...why }], issues: [...issues, ...ownIssues] }
}

// Known by its place, since what it says of itself cannot be read.
function unreadableCase(file: string, agent: AgentUnderTest): EvalCase {
  const folder = basename(dirname(file))
  const id = `${toPathSegment(folder)}/${toPathSegment(basename(file, extname(file)))}`
  return {
    kind: 'task',
    id,
    name: id,
    ...PLAIN_CASE,
    target: { kind: 'agent', name: agent.name },
    prompt: '',
    category: folder,
    at: TOP,
    promptAt: TOP,
  }
}

function findMissingSources(
  { expectedFacts }: GoldenTest,
  file: string,
  agent: AgentUnderTest,
  fs: TrackedFs,
): Issue[] {
  return expectedFacts.flatMap(({ source, at }): Issue[] => {
    if (source === null || placesOf(source, agent).some((place) => fs.look(place) !== null)) return []
    const message = `${source} is not in the vault of ${agent.name}; update the test, or put the file back`
    return [{ ...errorIn(file, 'file-missing', message, at), field: 'expected_facts' }]
  })
}

// Below the agent's folder, else beside it; a name of a page on the web is not looked for.
function placesOf(source: string, { dir }: AgentUnderTest): readonly string[] {
  if (/^\w+:\/\//.test(source)) return [dir]
  const path = source
    .replace(/#.*$/, '')
    .replace(/:\d+(?:-\d+)?$/, '')
    .trim()
  if (path.startsWith('~/')) {
    const home = homeFolder()
    return home === null ? [] : [join(home, path.slice(2))]
  }
  return isAbsolute(path) ? [path] : [join(dir, path), join(dirname(dir), path)]
}

/** An error for a judge.md that recommends no judge: without --judge no golden test of the agent can be judged. */
function findMissingJudge({ cases }: Suite): readonly Issue[] {
  const [test] = cases.flatMap((one) => kindOf(one).golden(one) ?? [])
  if (test === undefined) return []
  const { file, crossFamily, sameFamilyFallback } = test.agent.judge
  if (crossFamily.length + sameFamilyFallback.length > 0) return []
  const message = 'names no judge, so golden tests run only with --judge; add cross_family or same_family_fallback'
  return [{ ...errorIn(file, 'no-recommended-judge', message), field: 'recommended_judge' }]
}
