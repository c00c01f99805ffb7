// @module-tag no-engine
// @module-tag slow
import { execFileSync } from 'node:child_process'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { glob } from 'tinyglobby'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Report } from '../../src/report/report.ts'
import { config, readReports } from '../support/eval-project.ts'
import { agreement, ANSWER } from '../support/conformance/live.ts'
import { startFaultyApi } from '../support/faulty-api.ts'
import { repositoryVitest } from '../support/majors.ts'
import { startMessagesServer } from '../support/messages-server.ts'
import { agreeing } from '../support/package-run.ts'
import { createProject, type TestProject } from '../support/project.ts'
import { aamPackage, shellPackage, type AamCase, type Files } from '../support/red-cases/aam.ts'
import { applyEdits, filesOf, readEndings, rowsOf, type Ending } from '../support/red-cases/red-package.ts'
import { FORGED_RECORDINGS } from '../support/red-cases/forged.ts'
import { GOLDEN_RECORDED, GOLDEN_SCORES } from '../support/red-cases/golden.ts'
import { answerLive, LIVE, livePackage } from '../support/red-cases/live.ts'
import { SHELL_ENGINE, shellCases } from '../support/shell-engine.ts'

const KEY = 'sk-ant-real-0123456789'
const MODEL = "{ model: 'claude-haiku-4-5' }"
const major = repositoryVitest()

/** A case of the shell; without a script it passes. */
function shell(prompt = 'echo Hello'): AamCase {
  const judge = [[{ verdict: 'pass', reason: 'It greets.', quote: 'Hello' }]]
  return { prompt, expected: { contains: ['Hello'] }, turns: [], judge }
}

function shellConfig(more: string): string {
  return config(`{ sandbox: 'prefer', engines: ${JSON.stringify(SHELL_ENGINE)}, ${more} }`)
}

/** How the cases of a run ended that has this exit code. */
async function endings(
  project: TestProject,
  args: readonly string[],
  exitCode: number,
  env: NodeJS.ProcessEnv = {},
): Promise<Readonly<Record<string, Ending>>> {
  for (const name of await glob('**/evals/reports/*', { cwd: project.root, ignore: ['**/node_modules/**'] }))
    await rm(join(project.root, name))
  const finished = await project.agentEvals(['run', ...args], { merged: true, env })
  expect(finished.exitCode, finished.all).toBe(exitCode)
  return Object.fromEntries(await readEndings(project))
}

test('an API or a judge that fails leaves an error', async () => {
  await using api = await startFaultyApi(answerLive)
  const options = { model: 'claude-haiku-4-5', judge: 'claude-sonnet-4-5', maxCostUsd: 1000 }
  await using project = await createProject(
    major,
    { 'vitest.config.ts': config(JSON.stringify(options)), ...livePackage(Object.keys(LIVE), { timeout: 15 }) },
    'default',
  )
  const env = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: KEY }
  const ends = Object.fromEntries(Object.entries(LIVE).map(([name, asked]) => [name, asked.ends]))
  expect(await endings(project, ['--live'], 2, env)).toEqual(ends)
})

test('a budget refuses what it cannot pay, and counts what was spent', async () => {
  await using upstream = await startMessagesServer((request) => {
    const isDear = JSON.stringify(request.body).includes('Go: dear.')
    return agreeing(request, 'done') ?? { text: 'done', outputTokens: isDear ? 10_000 : 10 }
  })
  const prices = { 'claude-opus-4-5': { input: 10, output: 150 } }
  const options = { model: 'claude-opus-4-5', judge: 'claude-haiku-4-5', prices, concurrency: 1 }
  await using project = await createProject(major, {
    'vitest.config.ts': config(JSON.stringify(options)),
    ...largestFirst(livePackage(['dear', 'cheap'], {})),
  })
  const env = { ANTHROPIC_BASE_URL: upstream.url, ANTHROPIC_API_KEY: KEY }
  const unpaid = expect.stringMatching(/^errored (?:budget-spent|judge-not-paid)$/) as string
  const byCase = await endings(project, ['--live', '--max-cost-usd-per-case', '1.4'], 2, env)
  expect(byCase).toEqual({ dear: unpaid, cheap: 'passed' })
  const [report] = await readReports(project)
  expect(report?.summary.cost_usd).toBeGreaterThan(1.5)

  const asked = upstream.requests.length
  const byRun = await endings(project, ['--live', '--max-cost-usd', '1.4'], 2, env)
  expect(byRun).toEqual({ dear: unpaid, cheap: expect.stringMatching(/^(?:skipped|errored budget-spent)$/) })
  const bodies = upstream.requests.slice(asked).map(({ body }) => JSON.stringify(body))
  expect(bodies.filter((body) => body.includes('Go: cheap.'))).toEqual([])
  expect(await endings(project, ['--live', '--max-cost-usd', '10'], 0, env)).toEqual({
    dear: 'passed',
    cheap: 'passed',
  })
})

test('a request that was abandoned is paid from the budget', async () => {
  await using api = await startFaultyApi((request) =>
    request.body.includes('Go: hangs-') ? { hangs: true } : (agreement(request) ?? { text: ANSWER }),
  )
  const hanging = ['hangs-a', 'hangs-b', 'hangs-c', 'hangs-d', 'hangs-e']
  const prices = { 'claude-opus-4-5': { input: 10, output: 150 } }
  const options = { model: 'claude-opus-4-5', judge: 'claude-haiku-4-5', prices, concurrency: 1 }
  await using project = await createProject(major, {
    'vitest.config.ts': config(JSON.stringify(options)),
    ...largestFirst(livePackage([...hanging, 'after'], { timeout: 4 })),
  })
  const env = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: KEY }
  const paid = await endings(project, ['hangs-a', 'after', '--live', '--max-cost-usd', '1000'], 2, env)
  expect(paid).toEqual({ 'hangs-a': 'errored upstream-failed', after: 'passed' })
  const { after, ...rest } = await endings(project, ['--live', '--max-cost-usd', '1.4'], 2, env)
  expect(after).toMatch(/^(?:skipped|errored budget-spent)$/)
  expect(rest['hangs-a']).toBe('errored upstream-failed')
})

/** Makes a file the larger the earlier it is here: the largest is run first. */
function largestFirst(files: Files): Files {
  const all = Object.entries(files)
  return Object.fromEntries(
    all.map(([path, text], index) => [
      path,
      path.includes('/cases/') ? `# ${'-'.repeat(200 * (all.length - index))}\n${text}` : text,
    ]),
  )
}

describe('golden tests and recordings of the engine that only asks', () => {
  const edited = [...GOLDEN_RECORDED, ...FORGED_RECORDINGS]
  let recorded: Readonly<Record<string, Ending>>
  let ended: Readonly<Record<string, Ending>>

  beforeAll(async () => {
    await using project = await createProject(major, {
      'vitest.config.ts': config("{ engine: 'messages', model: 'claude-haiku-4-5' }"),
      ...filesOf([...GOLDEN_SCORES, ...edited]),
    })
    recorded = await endings(project, ['recorded/', '--record'], 0)
    await applyEdits(project, edited)
    ended = await endings(project, ['--source', 'replay'], 1)
  })

  test('are recorded', () => {
    expect(recorded).toEqual(Object.fromEntries(rowsOf(edited).map(([, id]) => [id, 'passed'])))
  })

  test.for(rowsOf([...GOLDEN_SCORES, ...edited]))('%s: %s %s', ([, id, ends]) => expect(ended[id]).toMatch(ends))
})

describe('what decides a whole run', () => {
  test('a case in quarantine runs, is shown and is never red; a file of the case cannot ask for it', async () => {
    const files = shellPackage({
      'held-fails': shell('echo Bye'),
      'held-errs': shell('true'),
      'own-word': shell('echo Bye'),
      passes: shell(),
    })
    await using project = await createProject(major, {
      'vitest.config.ts': shellConfig("quarantine: ['held-*']"),
      ...shellCases({}),
      ...files,
      'evals/cases/own-word.yaml': files['evals/cases/own-word.yaml']?.replace('{', '{ "quarantine": true,') ?? '',
    })
    const outcomes = { 'held-fails': 'failed', 'held-errs': 'errored engine-failed', passes: 'passed' }
    expect(await endings(project, ['held-fails', 'held-errs', 'passes'], 0)).toEqual(outcomes)
    expect(await endings(project, [], 1)).toEqual({ ...outcomes, 'own-word': 'failed' })
  })

  test('three shards run each case once, and the one with the failure is red', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    const cases = Object.fromEntries(names.map((name) => [name, shell(name === 'd' ? 'echo Bye' : undefined)]))
    await using project = await createProject(major, {
      'vitest.config.ts': shellConfig(''),
      ...shellCases({}),
      ...shellPackage(cases),
    })
    const shards: Report[] = []
    const exits: (number | null)[] = []
    for (const index of [1, 2, 3]) {
      const finished = await project.agentEvals(['run', '--shard', `${index}/3`, '-o', `${index}.json`])
      shards.push(JSON.parse(await project.files.readFile(`${index}.json`, 'utf8')) as Report)
      exits.push(finished.exitCode)
    }
    const ran = shards.map(({ cases: some }) => some.map(({ name }) => name))
    expect(ran.flat().toSorted()).toEqual(names)
    expect(exits).toEqual(ran.map((some) => (some.includes('d') ? 1 : 0)))
  })

  test('a regression is red by gate and by diff, and what is equal is green', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
    const saying = (text: string): Readonly<Record<string, AamCase>> =>
      Object.fromEntries(names.map((name) => [name, { turns: [text], expected: { contains: ['Hello'] } }]))
    await using project = await createProject(major, {
      'vitest.config.ts': config(MODEL),
      ...aamPackage('messages', saying('Hello.'), {}, { judge: 'claude-sonnet' }),
    })
    const command = async (...args: readonly string[]): Promise<number | null> =>
      (await project.agentEvals(args)).exitCode
    expect(await command('run', '-o', 'before.json')).toBe(0)
    const worse = aamPackage('messages', saying('Bye.'), {}, { judge: 'claude-sonnet' })
    for (const name of names)
      await project.files.writeFile(`evals/scenarios/${name}.yaml`, worse[`evals/scenarios/${name}.yaml`] ?? '')
    expect(await command('run', '-o', 'after.json')).toBe(1)
    expect(await command('gate', '--against', 'before.json', 'before.json')).toBe(0)
    expect(await command('gate', '--against', 'before.json', 'after.json')).toBe(1)
    expect(await command('gate', '--against', 'after.json', 'before.json')).toBe(0)
    expect(await command('diff', 'before.json', 'before.json', '--fail-on-regression')).toBe(0)
    expect(await command('diff', 'before.json', 'after.json', '--fail-on-regression')).toBe(1)
  })
})

test('a pull request makes nothing green by data where CI requires live runs', async () => {
  const greets: AamCase = { turns: ['Hello.'], expected: { contains: ['Hello'] } }
  const recorded = ['kept', 'forged-recording', 'forged-verdict', 'recording-to-scenario', 'new-case']
  const played = ['kept-scenario', 'changed-scenario', 'deleted-scenario', 'new-scenario']
  const cases = Object.fromEntries([...recorded, ...played].map((name) => [name, greets]))
  const files = aamPackage('messages', cases, {}, { judge: 'claude-sonnet' })
  await using project = await createProject(major, {
    'vitest.config.ts': config(MODEL),
    '.gitignore': 'node_modules\nevals/reports\n.vitest\n',
    ...files,
    'evals/scenarios/deleted-scenario.messages.yaml': JSON.stringify({ turns: ['Bye.'] }),
  })
  const recording = (name: string): string => `evals/recordings/cases/${name}/messages.1.json`
  const move = (from: string, to: string): Promise<void> => rename(join(project.root, from), join(project.root, to))
  const edit = async (path: string, from: string, to: string): Promise<void> => {
    const text = await project.files.readFile(path, 'utf8')
    expect(text).toContain(from)
    await project.files.writeFile(path, text.replaceAll(from, to))
  }
  const commit = (): void => {
    for (const words of [
      ['add', '-A'],
      ['commit', '-q', '-m', 'change'],
    ])
      git(project, ...words)
  }
  expect(await endings(project, ['--record', ...recorded], 0)).toEqual(
    Object.fromEntries(recorded.map((name) => [name, 'passed'])),
  )
  for (const name of recorded) await project.files.rm(`evals/scenarios/${name}.yaml`)
  await move('evals/cases/new-case.yaml', '.vitest/new.yaml')
  await move(recording('new-case'), '.vitest/new.json')
  await project.files.rm('evals/cases/new-scenario.yaml')
  await project.files.rm('evals/scenarios/new-scenario.yaml')
  git(project, 'init', '-q', '-b', 'main')
  commit()

  git(project, 'checkout', '-q', '-b', 'theirs')
  await edit(recording('forged-recording'), '"Hello."', '"Hello, forged."')
  await edit(recording('forged-verdict'), '"reason": "It did."', '"reason": "It did so."')
  await project.files.rm(recording('recording-to-scenario'))
  await edit('evals/scenarios/changed-scenario.yaml', 'Hello.', 'Hello, forged.')
  await project.files.rm('evals/scenarios/deleted-scenario.messages.yaml')
  for (const file of ['scenarios/recording-to-scenario', 'cases/new-scenario', 'scenarios/new-scenario'])
    await project.files.writeFile(`evals/${file}.yaml`, files[`evals/${file}.yaml`] ?? '')
  await move('.vitest/new.yaml', 'evals/cases/new-case.yaml')
  await move('.vitest/new.json', recording('new-case'))
  commit()
  const kept = { kept: 'passed', 'kept-scenario': 'passed' }
  expect(await endings(project, ['--require-live', 'main'], 2, { CI: 'true' })).toEqual({
    ...kept,
    'forged-recording': 'errored recording-changed',
    'forged-verdict': 'errored recording-changed',
    'recording-to-scenario': 'errored recording-changed',
    'new-case': 'errored recording-changed',
    'changed-scenario': 'errored recording-changed',
    'deleted-scenario': 'errored recording-changed',
    'new-scenario': 'errored recording-changed',
  })
})

function git({ root }: Pick<TestProject, 'root'>, ...words: readonly string[]): void {
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...words], { cwd: root })
}
