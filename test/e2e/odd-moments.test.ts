// @module-tag no-engine
// @module-tag slow
import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { USERS } from '../support/another-user.ts'
import { canMount, durableProject, outcomes, type DurableProject } from '../support/durable-project.ts'
import { repositoryVitest } from '../support/majors.ts'
import { SHELL_ENGINE, SHELL_VARIABLES, shellCases } from '../support/shell-engine.ts'

const QUICK = 'echo Hello'
const PASS_AND_FAIL = ['a-passes PASS', 'b-fails FAIL']
const TWO = { 'a-passes': QUICK, 'b-fails': 'echo No' }

function shellProject(
  scripts: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>> = {},
): Promise<DurableProject> {
  return durableProject(
    repositoryVitest(),
    {},
    {
      plugin: { engines: SHELL_ENGINE, sandbox: 'none', concurrency: 1 },
      files: { ...shellCases(scripts), ...files },
      workers: 'one',
    },
  )
}

test('S1: Ctrl-C twice at every moment of a run leaves nothing behind and loses no finished case', async () => {
  await using durable = await shellProject({ 'a-passes': QUICK, 'b-later': 'sleep 1; echo Hello' })
  const startedAt = performance.now()
  expect((await durable.start([], SHELL_VARIABLES).finished).exitCode).toBe(0)
  const wholeMs = performance.now() - startedAt
  let shown = 1
  for (const part of [0, 0.2, 0.4, 0.6, 0.75, 0.9]) {
    const run = durable.start([], SHELL_VARIABLES)
    await wait(wholeMs * part)
    run.send('SIGINT')
    await wait(300)
    run.send('SIGINT')
    const { exitCode, signal, all } = await run.finished
    // A second one may come when everything but the process has ended, which a shell calls 130 too.
    expect([0, 130], all).toContain(signal === 'SIGINT' ? 130 : exitCode)
    if (all.includes('✓ a-passes')) shown += 1
    await expect.poll(() => durable.alive(), { timeout: 20_000 }).toEqual([])
    await expect.poll(() => durable.leftovers(), { timeout: 20_000 }).toEqual([])
  }
  const last = await durable.start([], SHELL_VARIABLES).finished
  expect(last.exitCode, last.all).toBe(0)
  const reports = (await durable.reports()).map(outcomes)
  expect(reports.filter(([first]) => first === 'a-passes PASS').length).toBeGreaterThanOrEqual(shown + 1)
  for (const lines of reports)
    expect(lines).toEqual([
      expect.stringMatching(/^a-passes (?:PASS|ERROR interrupted|SKIP not-run)$/),
      expect.stringMatching(/^b-later (?:PASS|ERROR interrupted|SKIP not-run)$/),
    ])
})

test('S1: the next start mentions a run that was killed before it had a result', async () => {
  await using durable = await shellProject({ 'a-slow': 'sleep 4321' })
  const run = durable.start([], SHELL_VARIABLES)
  await durable.working(run, 1)
  process.kill(run.pid, 'SIGKILL')
  await run.finished
  await durable.project.files.writeFile('evals/cases/a-slow.yaml', shellCases({ 'a-slow': QUICK })[CASE_FILE] as string)
  const next = await durable.start([], SHELL_VARIABLES).finished
  expect(next.all).toMatch(/agent-evals: a run that was killed left no results: \.vitest\/agent-evals\/\S+/)
  expect((await durable.reports()).map(outcomes)).toEqual([['a-slow PASS']])
})

test.for(['-172800000', '172800000'])('S4: a clock that jumps by %s ms changes no outcome', async (jump) => {
  await using durable = await shellProject({ ...TWO, 'c-waits': 'sleep 2; echo Hello' }, { 'jump.mjs': JUMP })
  const preload = `--import=${join(durable.project.root, 'jump.mjs')}`
  const finished = await durable.start([], { ...SHELL_VARIABLES, NODE_OPTIONS: preload, JUMP: jump }).finished
  const [report] = await durable.reports()
  expect([report?.status, ...outcomes(report!)], finished.all).toEqual(['complete', ...PASS_AND_FAIL, 'c-waits PASS'])
  for (const { duration_seconds: seconds } of report!.cases) {
    expect(seconds).toBeGreaterThanOrEqual(0)
    expect(seconds).toBeLessThan(3600)
  }
})

test.skipIf(!canMount())('S2: in a project that is read-only, one line says what cannot be written', async () => {
  await using durable = await shellProject(TWO)
  const { root } = durable.project
  // Vite itself has to write a configuration there that is in TypeScript.
  const ofVite = join(root, 'node_modules/.vite-temp')
  mkdirSync(ofVite, { recursive: true })
  execFileSync('mount', ['--bind', root, root])
  try {
    execFileSync('mount', ['-o', 'remount,ro,bind', root])
    execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', ofVite])
    const { exitCode, all } = await durable.start([], SHELL_VARIABLES).finished
    expect(exitCode).toBe(1)
    expect(all).toMatch(/Cannot store the results of this run in \S+: EROFS.*\n/)
    expect(await durable.leftovers()).toEqual([])
  } finally {
    execFileSync('umount', ['-l', root])
  }
})

test.skipIf(USERS.length === 1).for([20, 24])(
  'S2: with %i processes and threads, nothing hangs and no case passes by mistake',
  async (most) => {
    await using durable = await shellProject(TWO)
    const become = `setpriv --reuid=${OTHER_USER} --regid=${OTHER_USER} --clear-groups`
    const own = `chown -R ${OTHER_USER} "$HOME" "$TMPDIR" .`
    const ran = await durable.shell(`${own}; exec prlimit --nproc=${most} ${become} "$@"`, [], SHELL_VARIABLES)
    expect(ran.exitCode).not.toBe(0)
    for (const line of (await durable.reports()).flatMap(outcomes))
      expect(line).toMatch(
        /^(?:a-passes (?:PASS|ERROR [a-z-]+|SKIP not-run)|b-fails (?:FAIL|ERROR [a-z-]+|SKIP not-run))$/,
      )
    await expect.poll(() => durable.alive(), { timeout: 20_000 }).toEqual([])
  },
)

test('S4: a TMPDIR that cannot be used is one line', async () => {
  await using durable = await shellProject(TWO)
  const missing = join(durable.temporary, 'missing')
  const { exitCode, all } = await durable.start([], { ...SHELL_VARIABLES, TMPDIR: missing }).finished
  expect(exitCode).toBe(1)
  expect(all).toContain('for temporary files: it does not exist. Set TMPDIR to a folder that can be written.')
  expect(all).not.toMatch(/^ +at /m)
})

test('lint --no-config runs no code of the folder, lint and list do', async () => {
  const touch = (name: string): string => `import { writeFileSync } from 'node:fs'\nwriteFileSync('${name}', '')\n`
  await using durable = await shellProject(TWO)
  const { files } = durable.project
  const config = await files.readFile('vitest.config.ts', 'utf8')
  await files.writeFile('vitest.config.ts', `${touch('loaded')}${config}`)
  for (const [args, loads] of [
    [['lint', '--no-config'], false],
    [['lint'], true],
    [['list'], true],
  ] as const) {
    await files.rm('loaded').catch(() => undefined)
    const { exitCode, all } = await durable.command(args).finished
    expect(exitCode, all).toBe(0)
    expect(await files.exists('loaded')).toBe(loads)
  }
})

test('a named pipe as package.json is refused by every command, which does not wait for it', async () => {
  await using durable = await shellProject(TWO, {
    'inner/evals/eval-config.json': '{ "version": 1, "engine": "codex" }',
  })
  const cwd = join(durable.project.root, 'inner')
  execFileSync('mkfifo', [join(cwd, 'package.json')])
  for (const command of ['list', 'lint', 'run', 'show']) {
    const { exitCode, all } = await durable.project.startAgentEvals([command], { cwd }).finished
    expect([command, exitCode]).toEqual([command, 2])
    expect(all).toMatch(/package\.json is a named pipe, not a regular file\. Put a file in its place, or remove it\./)
  }
})

const CASE_FILE = 'evals/cases/a-slow.yaml'
/** Nothing else runs as this user, whose processes are counted. */
const OTHER_USER = 31_337

/** Lets every thread see another time from its second second on. */
const JUMP = `
const Real = Date
const offset = () => (performance.now() > 1000 ? Number(process.env.JUMP) : 0)
globalThis.Date = class Date extends Real {
  constructor(...args) {
    if (args.length === 0) super(Real.now() + offset())
    else super(...args)
  }
  static now() {
    return Real.now() + offset()
  }
}
`
