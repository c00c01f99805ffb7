// @module-tag claude-code
// @module-tag slow
import { execFileSync } from 'node:child_process'
import { chmod, cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { claudeExecutable } from '../support/engines.ts'
import { repositoryVitest } from '../support/majors.ts'
import { claudeFolder } from '../support/other-engines.ts'
import { createProject, type TestProject } from '../support/project.ts'
import { startProcess } from '../support/running-process.ts'
import { readReports } from '../support/eval-project.ts'
import { casesOf, PARTS, recordingOf, runCases, states } from '../support/recordings-project.ts'

const major = repositoryVitest()

const CASES = ['delegate', 'hook', 'skill']
const PASSED = CASES.map((name) => `${name} passed`)
/** Always at least a day apart. */
const [YESTERDAY, TOMORROW] = ['Etc/GMT+12', 'Pacific/Kiritimati']

/** The older CLI, installed once outside the repository; a reason where that cannot be. */
const older = await claudeFolder('2.1.300').then(
  (folder) => ({
    executable: join(folder, `node_modules/@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`),
  }),
  (error: Error) => ({ reason: error.message }),
)

describe('a recording made with claude 2.1.300 in the sandbox', { tags: ['claude-code'] }, () => {
  let project: TestProject

  beforeAll(async () => {
    if ('reason' in older) return
    project = await createProject(major, { ...PARTS, 'evals/eval-config.json': timeZone(YESTERDAY) })
    const env = { TEST_CLAUDE: older.executable, TZ: YESTERDAY }
    const recorded = await runCases(project, 'record', { args: CASES, env })
    expect(states(recorded)).toEqual(PASSED)
  })
  afterAll(() => project?.[Symbol.asyncDispose]())

  test('names its version and holds the day and the kernel of its script as unstable', async ({ skip }) => {
    if ('reason' in older) return skip(older.reason)
    const recording = await recordingOf(project, 'skill')
    expect(recording.engine).toEqual({ name: 'claude-code', version: '2.1.300' })
    const message = recording.lanes[0]?.turns
      .flatMap(({ results }) => results ?? [])
      .find(({ lines }) => lines.length === 2)
    const day = new Intl.DateTimeFormat('sv-SE', { timeZone: YESTERDAY }).format(new Date(recording.recordedAt))
    expect(message?.lines).toEqual(['Hello, World', expect.stringContaining(`said on ${day} by Linux `)])
    expect(message?.unstable).toEqual([2])
  })

  test('replays on the installed version, under another kernel name and on another day', async ({ skip }) => {
    if ('reason' in older) return skip(older.reason)
    await project.files.writeFile('evals/eval-config.json', timeZone(TOMORROW))
    const before = (await readReports(project)).length
    const finished = await startProcess('setarch', ['--uname-2.6', major.node, major.vitestBin, ...ARGUMENTS], {
      cwd: project.root,
      env: { ...environmentOf(project.home), TZ: TOMORROW },
    }).finished
    const cases = await casesOf(project, before, finished.all)
    expect(states(cases)).toEqual(PASSED)
    expect(cases.get('skill')?.notices).toContain(
      `Recorded with claude-code 2.1.300, replayed with claude-code ${versionOf(claudeExecutable())}.`,
    )
  })

  test('replays in another folder with spaces, without a sandbox, as another user', async ({ skip }) => {
    if ('reason' in older) return skip(older.reason)
    if (process.getuid?.() !== 0) return skip('only root can become another user')
    await using moved = await moveProject(project)
    const finished = await startProcess(
      'setpriv',
      [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', major.node, major.vitestBin, ...ARGUMENTS],
      {
        cwd: moved.root,
        env: {
          ...environmentOf(join(moved.above, 'home')),
          AGENT_EVALS_SANDBOX: 'none',
          TMPDIR: join(moved.above, 'temporary files 🧪'),
        },
      },
    ).finished
    const [report] = await readReports({ ...project, root: moved.root })
    expect(
      report?.cases.map(({ name, outcome, sandbox }) => [name, outcome, sandbox?.enforced]).toSorted(),
      finished.all,
    ).toEqual(CASES.map((name) => [name, 'passed', 'none']))
  })
})

test('a recording made without a sandbox replays in one', { tags: ['claude-code'] }, async () => {
  await using project = await createProject(major, PARTS)
  const without = await runCases(project, 'record', { args: ['skill'], env: { AGENT_EVALS_SANDBOX: 'none' } })
  expect(states(without)).toEqual(['skill passed'])
  expect(await readFile(join(project.root, 'evals/recordings/cases/skill/claude-code.1.json'), 'utf8')).not.toContain(
    tmpdir(),
  )
  expect(states(await runCases(project, 'replay', { args: ['skill'] }))).toEqual(['skill passed'])
})

const ARGUMENTS = ['run', '--project', 'evals', ...CASES]
const NOBODY = 65_534

function timeZone(zone: string): string {
  return `${JSON.stringify({ version: 1, engine: 'claude-code', judge: 'claude-sonnet', env: { TZ: zone } })}\n`
}

function environmentOf(home: string): Record<string, string> {
  const { PATH = '', LANG = 'C.UTF-8' } = process.env
  return { PATH, LANG, HOME: home, NO_COLOR: '1', AGENT_EVALS_SOURCE: 'replay' }
}

function versionOf(executable: string | null): string {
  if (executable === null) throw new Error('claude is not installed.')
  return execFileSync(executable, ['--version'], { encoding: 'utf8' }).split(' ')[0] ?? ''
}

/** Copies a project to where another user can work on it. */
async function moveProject(
  project: TestProject,
): Promise<AsyncDisposable & { readonly above: string; readonly root: string }> {
  const above = await mkdtemp(join(tmpdir(), 'moved '))
  const root = join(above, 'a package')
  await chmod(above, 0o755)
  await cp(project.root, root, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !/\/(?:reports|\.vitest|\.vite|\.cache)(?:\/|$)/.test(path.slice(project.root.length)),
  })
  for (const name of ['home', 'temporary files 🧪']) await mkdir(join(above, name))
  execFileSync('chown', ['-R', '-h', `${NOBODY}:${NOBODY}`, above])
  return { above, root, [Symbol.asyncDispose]: () => rm(above, { recursive: true, force: true }) }
}
