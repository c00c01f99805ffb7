// @module-tag no-engine
// @module-tag slow
// @module-tag long
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { CLERK, golden } from '../support/agent-fixture.ts'
import { ASKS, ASKS_ENGINE, startChatApi, writeAskingProgram, type ChatApi } from '../support/asking-engine.ts'
import { describeOnMajors } from '../support/describe-on-majors.ts'
import { config, greeting, readReports } from '../support/eval-project.ts'
import { repositoryVitest } from '../support/majors.ts'
import { createProject, type TestProject } from '../support/project.ts'
import { hasTerminal } from '../support/running-process.ts'
import { skill } from '../support/skill-project.ts'

/** A suite of every format of data files, and one in TypeScript. The prompt of each case has a mark of its own. */
const FILES = {
  'vitest.config.ts': config(`{ sandbox: 'none', engines: ${ASKS_ENGINE} }`, "test: { tags: [{ name: 'slow' }] },"),
  'package.agent.json': '{ "name": "sample", "version": "1.0.0" }',
  'skills/pricing/SKILL.md': skill('pricing', 'Sets prices.'),
  'skills/pricing/evals/evals.json': JSON.stringify({
    evals: [
      { id: 'flaky', prompt: 'MARK-eval-flaky', expectations: ['It is done.'] },
      { id: 2, prompt: 'MARK-eval-2', expectations: ['It is done.'] },
    ],
  }),
  'skills/pricing/evals/triggers.json': `[
    { "id": "2", "query": "MARK-query-2", "should_trigger": true }, { "id": "q3", "query": "MARK-query-3", "should_trigger": false },
    { "id": "q4", "query": "MARK-query-4", "should_trigger": true }
  ]`,
  'evals/cases/flaky.yaml': aam('flaky', 'target: skill:pricing\n'),
  'evals/cases/other.yaml': aam('other', ''),
  'skills/pricing/evals/cases/graded/case.yaml':
    'schema_version: "1.1"\nname: graded\ntags: [money]\nexecution: { prompt: MARK-graded }\ngraders:\n  - { type: regex, name: says, pattern: hello }\n',
  'greets.eval.ts': `import { describe, expect, test } from 'vitest-agent-evals/test'
test('greets', ${testBody('greets')})
describe('nested', { tags: ['money'] }, () => {
  test('flaky', ${testBody('flaky')})
  describe('twice', () => {
    test('deep', { tags: ['slow'] }, ${testBody('deep')})
  })
})
test.skipIf(true)('never', ${testBody('never')})
`,
  'more.eval.ts': `import { expect, test } from 'vitest-agent-evals/test'
test.skipIf(false)('2 more', { tags: 'slow' }, ${testBody('more')})
`,
  ...CLERK,
  'clerk/evals/golden/happy/001_hours.md': golden('001_hours').replace('When do you open?', 'MARK-golden-hours'),
  'clerk/evals/golden/adversarial/002_bribe.md': golden('002_bribe', { category: 'adversarial' }).replace(
    'When do you open?',
    'MARK-golden-bribe',
  ),
  ...ASKS,
  'draws.mjs': `
import { readFile } from 'node:fs/promises'
const main = 'node_modules/vitest-agent-evals/dist/cli/main.js'
const text = await readFile(main, 'utf8')
const command = async (name) => {
  const [, path] = new RegExp('\\\\b' + name + ': \\\\["[^"]*", async \\\\(\\\\) => \\\\(await import\\\\("\\\\.\\\\./([^"]+)"').exec(text)
  return (await import('./node_modules/vitest-agent-evals/dist/' + path))[name]
}
const [list, run] = [await command('list'), await command('run')]
const base = { ...process.env }
let heard = ''
for (const stream of [process.stdout, process.stderr])
  stream.write = (chunk, encoding, done) => {
    heard += chunk
    ;[encoding, done].find((one) => typeof one === 'function')?.()
    return true
  }
const perform = async (one, argv) => {
  for (const name of Object.keys(process.env)) if (!(name in base)) delete process.env[name]
  Object.assign(process.env, base)
  process.argv = [process.execPath, main, one.name, ...argv]
  process.exitCode = undefined
  heard = ''
  try {
    await one.run(argv)
  } catch (error) {
    heard += error.stack
  }
  return heard
}
process.on('message', async (argv) => {
  const listed = await perform(list, [...argv, '--json'])
  // Vitest ends a process in which something is left after that time.
  process.send({ listed, output: await perform(run, [...argv, '--teardown-timeout', '9999999']) })
})
process.send('ready')
`,
} as const

function testBody(mark: string): string {
  return `async ({ agent }) => { expect(await agent.run('MARK-typescript-${mark}')).toContainOutput('hello') }`
}

function aam(name: string, rest: string): string {
  return greeting(name, rest).replace('Say hello.', `MARK-aam-${name}`)
}

/** What a drawn command line may have: each part is there or not. */
const FILTERS = [
  [],
  ['flaky'],
  ['2'],
  ['graded'],
  ['clerk'],
  ['skills/pricing'],
  ['evals/cases/flaky.yaml:1'],
  ['skills/pricing/evals/triggers.json'],
  ['flaky', 'q3'],
  ['greets.eval.ts'],
  ['greets'],
  ['greets.eval.ts:8', 'other'],
  ['greets.eval.ts:99'],
  ['evals/cases/flaky.yaml:99', 'flaky'],
]
const FLAGS = [
  ['--target', 'skill:pricing'],
  ['--mode', 'artifact'],
  ['--mode', 'trigger'],
  ['--category', 'happy'],
  ['--tag', 'money'],
  ['--tag', 'slow,unheard-of'],
  ['--tag', 'slwo'],
  ['--target', 'skill:pricng'],
  ['--case', 'gra*'],
  ['-t', 'fla|2|twice'],
  ['--shard', '1/2'],
  ['--shard', '2/2'],
  ['--runs', '2'],
  ['--baseline'],
]
const SOURCES = [['--live'], ['--record'], ['--source', 'replay'], ['--source', 'auto']]

const DRAWS = Number(process.env['AGENT_EVALS_TEST_DRAWS'] ?? 3)
const FIRST = [
  ['2', '--target', 'skill:pricing', '--live'],
  ['flaky', '--mode', 'artifact', '--live'],
  ['--live'],
  ['--record'],
  ['greets.eval.ts:8', 'other', '--shard', '1/2', '--live'],
  ['greets.eval.ts:8', 'other', '--shard', '2/2', '--live'],
  ['flaky', '--target', 'skill:pricing', '--live'],
  ['greets', '--shard', '1/2', '--live'],
  ['greets', '--shard', '2/2', '--live'],
]

test(
  'a run lists, announces, reports and sends the cases of one plan, whatever its filters, flags and sources are',
  { timeout: 60_000 * (DRAWS + FIRST.length) },
  async () => {
    await using api = await startChatApi()
    await using project = await createProject(repositoryVitest(), FILES)
    await writeAskingProgram(project)
    await using runner = await startRunner(project, api)
    const random = createRandom(33)
    const drawn = Array.from({ length: DRAWS }, () => [
      ...(FILTERS[random(FILTERS.length)] ?? []),
      ...FLAGS.filter(() => random(9) === 0).flat(),
      ...(SOURCES[random(SOURCES.length)] ?? []),
    ])
    let withCases = 0
    for (const line of [...FIRST, ...drawn]) withCases += (await compare(project, api, runner, line)) > 0 ? 1 : 0
    // Lines that leave no case show little.
    expect(withCases).toBeGreaterThan((DRAWS + FIRST.length) / 3)
  },
)

/** One process that lists and runs many command lines: starting Vitest takes far longer than these runs. */
interface Runner extends AsyncDisposable {
  perform(line: readonly string[]): Promise<{ readonly listed: string; readonly output: string }>
}

async function startRunner({ root, home }: TestProject, api: ChatApi): Promise<Runner> {
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    NO_COLOR: '1',
    VITEST_MAX_WORKERS: '1',
    AGENT_EVALS_RUNS: '1',
    ...api.env,
  }
  const child: ChildProcess = fork(join(root, 'draws.mjs'), [], { cwd: root, env, execArgv: [], silent: true })
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`The runner ended with ${code}.`)))
  ended.catch(() => {})
  const hear = async (): Promise<unknown> => {
    const [message] = (await Promise.race([once(child, 'message'), ended])) as [unknown]
    return message
  }
  await hear()
  return {
    async perform(line) {
      child.send([...line])
      return (await hear()) as { listed: string; output: string }
    },
    async [Symbol.asyncDispose]() {
      const over = once(child, 'exit')
      child.kill('SIGKILL')
      await over
    },
  }
}

// Without a terminal, as in every other test, a run that may spend does so.
test.skipIf(!hasTerminal)('a run in a terminal asks once before it spends', async () => {
  await using api = await startChatApi()
  await using project = await createProject(repositoryVitest(), FILES)
  await writeAskingProgram(project)
  const ask = async (
    keys: string,
    name: string,
    ...flags: readonly string[]
  ): Promise<readonly [sent: number, exit: number | null]> => {
    api.asked.length = 0
    await rm(join(project.root, 'evals/recordings'), { recursive: true, force: true })
    const env = { ...api.env, CI: undefined, TERM: 'dumb' }
    const run = project.startAgentEvals(['run', name, ...flags], { env, terminal: true })
    if (keys !== '') {
      await run.waitFor('Run them live?')
      expect(api.asked).toEqual([])
      run.press(keys)
    }
    const { exitCode, all } = await run.finished
    expect(all.includes('Run them live?')).toBe(keys !== '')
    expect(all.includes('nothing was run or spent')).toBe(keys === 'n\r' && name === 'other')
    expect(all.includes('answered with no')).toBe(keys === 'n\r' && name !== 'other')
    return [api.asked.length, exitCode]
  }
  // A test in TypeScript shows only when it runs that it has no recording.
  for (const [name, flags] of [
    ['other', ['--yes', '--live']],
    ['more.eval.ts', ['--record']],
  ] as const) {
    expect(await ask('n\r', name), name).toEqual([0, 2])
    expect((await ask('y\r', name))[0], name).toBe(1)
    for (const flag of flags) expect((await ask('', name, flag))[0], `${name} ${flag}`).toBeGreaterThan(0)
  }
})

describeOnMajors('the question before spending ($label)', [], (major) => {
  test.skipIf(!hasTerminal)('is all that the terminal shows last until it is answered', async () => {
    await using api = await startChatApi()
    await using project = await createProject(major, FILES)
    await writeAskingProgram(project)
    const env = { ...api.env, CI: undefined, TERM: 'xterm-256color' }
    const run = project.startAgentEvals(['run', 'other'], { env, terminal: true })
    await run.waitFor('Run them live?')
    // Vitest redraws its lines each second.
    await sleep(2500)
    expect(run.output().trimEnd().split('\n').at(-1)).toMatch(/^agent-evals: Run them live\?.* \[y\/N\]$/)
    run.press('n\r')
    const { exitCode, all } = await run.finished
    expect(all).toContain('nothing was run or spent')
    expect([exitCode, api.asked]).toEqual([2, []])
  })
})

async function compare(project: TestProject, api: ChatApi, runner: Runner, line: readonly string[]): Promise<number> {
  for (const kept of ['reports', 'recordings', 'runs'])
    for (const owner of ['', 'skills/pricing', 'clerk'])
      await rm(join(project.root, owner, 'evals', kept), { recursive: true, force: true })
  api.asked.length = 0
  const { listed, output } = await runner.perform(line)
  const shown = `${line.join(' ')}\n${output}`
  if (!listed.startsWith('{')) {
    // What nothing has is refused by both.
    for (const text of [listed, output]) expect(text, shown).toContain('AgentEvalsError')
    expect(api.asked, shown).toEqual([])
    return 0
  }
  const { cases, files, plan, tests } = JSON.parse(listed) as Listed

  const ids = cases.map(({ id }) => id).toSorted()
  const reports = [...(await readReports(project)), ...(await readReports(project, 'clerk/evals/reports'))]
  const reported = reports.flatMap((report) => report.cases.filter(({ format }) => format !== 'typescript'))
  expect(reported.map(({ id }) => id).toSorted(), shown).toEqual(ids)
  if (ids.length > 0) expect([...new Set(reports.map((report) => report.plan))], shown).toEqual([plan])

  const isLive = !line.includes('replay')
  const runs = isLive ? cases.reduce((sum, one) => sum + one.runs, 0) : 0
  const count = /(\d+) cases? go(?:es)? live(?:, \d+ of them without the skill)?(?:, in (\d+) runs)?/.exec(output)
  const announced = [Number(count?.[1] ?? 0), Number(count?.[2] ?? count?.[1] ?? 0)]
  expect(announced, shown).toEqual([isLive ? ids.length : 0, runs])

  const marks = (prompts: readonly string[]): readonly string[] =>
    [...new Set(prompts.map((prompt) => /MARK-[\w-]+/.exec(prompt)?.[0] ?? prompt))].toSorted()
  const sent = api.asked.filter((prompt) => !prompt.includes('MARK-typescript'))
  expect(marks(sent), shown).toEqual(isLive ? marks(cases.map(({ prompt }) => prompt)) : [])
  expect(sent.length, shown).toBe(runs)
  const sentByTests = api.asked.filter((prompt) => prompt.includes('MARK-typescript'))
  const named = tests
    .filter(({ name }) => name !== 'never')
    .map(({ name }) => `MARK-typescript-${/\w+$/.exec(name)?.[0]}`)
  expect(marks(sentByTests), shown).toEqual(isLive ? named.toSorted() : [])
  expect(sentByTests.length, shown).toBe(isLive ? named.length : 0)
  expect([...new Set(tests.map(({ file }) => file))], shown).toEqual(files)
  // Where nothing else goes live, a plain run says so at the first test that has no recording.
  const isForeseen = ids.length > 0 || !line.includes('auto')
  if (sentByTests.length > 0 && isForeseen) expect(output, shown).toContain('tests in TypeScript, live calls unknown: ')
  if (sentByTests.length > 0 && !isForeseen) expect(output, shown).toContain('; others may follow')
  return ids.length + named.length
}

interface Listed {
  readonly plan: string
  readonly cases: readonly { readonly id: string; readonly prompt: string; readonly runs: number }[]
  readonly files: readonly string[]
  readonly tests: readonly { readonly file: string; readonly name: string }[]
}

// The same draws at every run.
function createRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
