// @module-tag claude-code
// @module-tag codex
// @module-tag copilot
// @module-tag slow
// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { probeBubblewrap } from '../../src/sandbox/bubblewrap/command.ts'
import { installedEngines, variablesOf, type InstalledEngine } from '../support/conformance/matrix.ts'
import { describeOnMajors } from '../support/describe-on-majors.ts'
import { config } from '../support/eval-project.ts'
import { repositoryVitest } from '../support/majors.ts'
import { processesWith } from '../support/processes.ts'
import { createProject, type TestProject } from '../support/project.ts'
import { BLOCKED_CALLS } from '../support/red-cases/blocked.ts'
import { CHECKS } from '../support/red-cases/checks.ts'
import { DRIFT } from '../support/red-cases/drift.ts'
import { BORROWED_SKILL } from '../support/red-cases/forged.ts'
import { JUDGES } from '../support/red-cases/judges.ts'
import {
  applyEdits,
  filesOf,
  readEndings,
  readShown,
  rowsOf,
  type Ending,
  type RedPackage,
} from '../support/red-cases/red-package.ts'
import { LEFT_RUNNING, SESSIONS, THRESHOLD } from '../support/red-cases/sessions.ts'
import { STALE_TEXTS } from '../support/red-cases/stale-texts.ts'
import { SHELL_ENGINE, shellCases } from '../support/shell-engine.ts'

const bubblewrap = await probeBubblewrap(process.env)
const why = bubblewrap.works ? '' : ` (skipped: ${bubblewrap.reason})`
const EDITED = [...STALE_TEXTS, ...DRIFT, ...BORROWED_SKILL]
const PLAYED = [...BLOCKED_CALLS, ...CHECKS, ...JUDGES, ...SESSIONS]
/** Many sessions one after the other, on a machine that does other things. */
const PATIENCE = 1_800_000

describe('what an edit behind a recording makes red, and what it leaves green', () => {
  let project: TestProject
  let recorded: Ended
  let replayed: Ended

  beforeAll(async () => {
    const engines = await installedEngines()
    project = await createRed(engines, EDITED)
    recorded = await play(project, engines, 'record')
    await applyEdits(project, EDITED)
    replayed = await play(project, engines, 'auto')
  }, PATIENCE)
  afterAll(() => project[Symbol.asyncDispose]())

  test.for(rowsOf(EDITED))('%s: %s %s', ([, id, ends]) => {
    expect(recorded.endings.get(id)).toBe('passed')
    expectEnding(replayed, id, ends)
  })
})

// Without a sandbox some of these sessions would write what they must not.
describe.skipIf(!bubblewrap.works)(
  `what a session, a check or a judge makes red, and what it leaves green${why}`,
  () => {
    let project: TestProject
    let ended: Ended

    beforeAll(async () => {
      const engines = await installedEngines()
      project = await createRed(engines, PLAYED)
      ended = await play(project, engines, 'auto')
    }, PATIENCE)
    afterAll(() => project[Symbol.asyncDispose]())

    test.for(rowsOf(PLAYED))('%s: %s %s', ([, id, ends]) => expectEnding(ended, id, ends))

    test('no process is left', () => expect(processesWith(LEFT_RUNNING)).toEqual([]))
  },
)

describeOnMajors('a grader that no line stands for, on $label', [], (major) => {
  test('fails its test, at the prompt and with the score', async () => {
    const engines = await installedEngines()
    const plugin = SESSIONS.filter(({ folder }) => folder === 'played/plugin')
    await using project = await createRed(engines, plugin, major)
    const { shown, output, exitCode } = await play(project, engines, 'auto', ['half-by-judge', 'at-threshold'])
    expect(Object.fromEntries(shown)).toEqual({
      'played/plugin/at-threshold': 'passed',
      'played/plugin/half-by-judge': 'failed',
    })
    expect(exitCode).toBe(1)
    expect(output).toContain('score 0.50, threshold 0.75; b: judge votes: FAIL FAIL')
    expect(output).toContain('❯ played/plugin/evals/half-by-judge/prompt.md:5:1')
  })
})

/** One project with all packages, each on an engine of its own. */
function createRed(
  engines: readonly InstalledEngine[],
  packages: readonly RedPackage[],
  major = repositoryVitest(),
): Promise<TestProject> {
  const paths = Object.fromEntries(engines.map(({ name, path }) => [name, path]))
  const options = { sandbox: 'prefer', runs: 1, ablation: 'none', threshold: THRESHOLD }
  return createProject(major, {
    'vitest.config.ts': config(JSON.stringify({ ...options, engines: { ...SHELL_ENGINE, ...paths } })),
    ...shellCases({}),
    ...filesOf(packages),
  })
}

/** Of a run: how its report says that each case ended, and what Vitest itself shows of it. */
interface Ended {
  readonly endings: ReadonlyMap<string, Ending>
  readonly shown: ReadonlyMap<string, string>
  readonly output: string
  readonly exitCode: number | null
}

async function play(
  project: TestProject,
  engines: readonly InstalledEngine[],
  source: string,
  filters: readonly string[] = [],
): Promise<Ended> {
  const env = { AGENT_EVALS_SOURCE: source, ...(await variablesOf(engines)) }
  const reporters = ['--reporter', 'default', '--reporter', 'json', '--outputFile', 'shown.json']
  const { all, exitCode } = await project.run(['run', '--project', 'evals', ...reporters, ...filters], {
    merged: true,
    env,
  })
  const endings = await readEndings(project)
  expect(endings.size, all).toBeGreaterThan(0)
  return { endings, shown: await readShown(project, 'shown.json'), output: all, exitCode }
}

function expectEnding({ endings, shown }: Ended, id: string, ends: RegExp): void {
  expect(endings.get(id)).toMatch(ends)
  expect(shown.get(id)).toBe(endings.get(id) === 'passed' ? 'passed' : 'failed')
}
