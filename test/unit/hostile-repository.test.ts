import { execFileSync } from 'node:child_process'
import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { createFixture } from 'fs-fixture'
import { expect, onTestFinished, test, vi } from 'vitest'
import { findRecordingIssues, pruneRecordings } from '../../src/cli/lint/recordings.ts'
import { findRunFolders, findLostRuns } from '../../src/report/results/past-runs.ts'
import { findEngine } from '../../src/engines/find.ts'
import { findSkills } from '../../src/formats/skill-evals/skill-index.ts'
import { readKinds } from '../../src/judges/known-kinds.ts'
import { nameStatement } from '../../src/judges/statement-kinds.ts'
import { readRecording, writeRecording } from '../../src/recordings/store.ts'
import { mergeRuns, recoverRuns } from '../../src/report/fold/other-runs.ts'
import { readEarlierResults } from '../../src/report/fold/earlier-results.ts'
import { appendAudit, sampledEntry, writeRunLogs } from '../../src/report/golden/run-log.ts'
import type { RunLogLine } from '../../src/report/golden/run-log-line.ts'
import { readStoredReport } from '../../src/report/stored-report.ts'
import { writeReports } from '../../src/report/write-report.ts'
import { encodeEntry } from '../../src/report/results/journal.ts'
import { readOwnVersion } from '../../src/report/results/provenance.ts'
import { createRedactor } from '../../src/gateway/redact.ts'
import { createRunId } from '../../src/report/results/run-folder.ts'
import { createRunFolder } from '../../src/report/results/start-run.ts'
import { reportOf, caseResult, ended, plannedCase } from '../support/case-result.ts'
import { conversationOf, mainThread, ours, record, turnOf } from '../support/recorded-conversation.ts'

const PLANNED = {
  cases: [],
  files: [],
  reports: [],
  options: {},
  versions: { agentEvals: null, node: '', vitest: null },
}

test('nothing is pruned through a link', async () => {
  await using fixture = await createFixture({ 'outside/notes/x.json': '{}', 'pkg/evals/.keep': '' })
  const packageRoot = fixture.getPath('pkg')
  symlinkSync(fixture.getPath('outside'), join(packageRoot, 'evals/recordings'))
  const pkg = { packageRoot, suites: [], evalFiles: [] }
  expect(pruneRecordings(pkg)).toEqual([])
  expect(existsSync(fixture.getPath('outside/notes/x.json'))).toBe(true)
  expect(findRecordingIssues(pkg)).toMatchObject([{ code: 'recording-invalid', severity: 'error' }])
})

test.each(['.vitest', '.vitest/agent-evals'])('no run folder is made through the link %s', async (name) => {
  await using fixture = await createFixture({
    'outside/agent-evals/.gitignore': 'mine\n',
    'outside/.gitignore': 'mine\n',
  })
  const root = fixture.getPath('pkg')
  mkdirSync(join(root, name, '..'), { recursive: true })
  symlinkSync(fixture.getPath('outside'), join(root, name))
  expect(() => createRunFolder(root, createRunId(new Date()), PLANNED)).toThrow('is a symbolic link')
  expect(readFileSync(fixture.getPath('outside/.gitignore'), 'utf8')).toBe('mine\n')
})

test('the .gitignore of the run folders replaces a link, and nothing behind it', async () => {
  await using fixture = await createFixture({ outside: 'mine\n', 'pkg/.vitest/agent-evals/.keep': '' })
  const root = fixture.getPath('pkg')
  symlinkSync(fixture.getPath('outside'), join(root, '.vitest/agent-evals/.gitignore'))
  createRunFolder(root, createRunId(new Date()), PLANNED)
  expect(readFileSync(fixture.getPath('outside'), 'utf8')).toBe('mine\n')
  expect(lstatSync(join(root, '.vitest/agent-evals/.gitignore')).isFile()).toBe(true)
})

test.each(['evals', 'evals/reports'])('no report is written through the link %s', async (name) => {
  await using fixture = await createFixture({ 'outside/reports/.keep': '', 'run/.keep': '' })
  const packageRoot = fixture.getPath('pkg')
  mkdirSync(join(packageRoot, name, '..'), { recursive: true })
  symlinkSync(fixture.getPath('outside'), join(packageRoot, name))
  const report = reportOf([caseResult('one')])
  const redactor = createRedactor({})
  const written = writeReports([{ report, packageRoot, engineName: 'claude-code' }], {
    runFolder: fixture.getPath('run'),
    redactor,
  })
  expect(written[0]?.problem?.message).toContain('is a symbolic link')
  // It is not lost either.
  expect(written[0]?.path).toMatch(/run\/[^/]+\.json$/)
  expect([readdirSync(fixture.getPath('outside')), readdirSync(fixture.getPath('outside/reports'))]).toEqual([
    ['reports'],
    ['.keep'],
  ])
})

test('a report does not go through a link of its own name', async () => {
  await using fixture = await createFixture({ outside: 'mine\n', 'pkg/evals/reports/.keep': '', 'run/.keep': '' })
  const report = reportOf([caseResult('one')])
  const options = { runFolder: fixture.getPath('run'), redactor: createRedactor({}) }
  const one = { report, packageRoot: fixture.getPath('pkg'), engineName: 'claude-code' }
  const name = `${report.timestamp.replaceAll(':', '-')}.json`
  symlinkSync(fixture.getPath('outside'), fixture.getPath(`pkg/evals/reports/${name}`))
  expect(writeReports([one], options)[0]?.path).toBe(
    fixture.getPath(`pkg/evals/reports/${name.replace('.json', '-2.json')}`),
  )
  const asked = fixture.getPath(`pkg/evals/reports/${name}`)
  expect(writeReports([one], { ...options, path: asked })[0]?.problem?.message).toContain('it is a symbolic link')
  expect(readFileSync(fixture.getPath('outside'), 'utf8')).toBe('mine\n')
})

test.each(['evals', 'evals/recordings', 'evals/recordings/cases'])(
  'no recording is written through the link %s',
  async (name) => {
    await using fixture = await createFixture({ 'outside/.keep': '' })
    const packageRoot = fixture.getPath('pkg')
    mkdirSync(join(packageRoot, name, '..'), { recursive: true })
    symlinkSync(fixture.getPath('outside'), join(packageRoot, name))
    const recording = record(conversationOf(mainThread(turnOf({}))), ours({}))
    const file = join(packageRoot, 'evals/recordings/cases/one/claude-code.1.json')
    expect(() => writeRecording(file, recording)).toThrow('is a symbolic link')
    expect(readdirSync(fixture.getPath('outside'))).toEqual(['.keep'])
  },
)

test.each(['evals/runs', 'evals/runs/responses', 'evals/runs/DAY.jsonl', 'evals/runs/audit_log.jsonl'])(
  'nothing is logged through the link %s',
  async (name) => {
    await using fixture = await createFixture({ 'run/.keep': '' })
    const packageRoot = fixture.getPath('clerk')
    const isFile = name.endsWith('.jsonl')
    const outside = fixture.getPath('outside')
    if (isFile) writeFileSync(outside, 'mine\n')
    else mkdirSync(join(outside, 'responses'), { recursive: true })
    const result = caseResult('happy/001', { format: 'golden', category: 'happy', packageRoot, outcome: 'failed' })
    const day = new Date(Date.parse(result.startedAt) + result.duration_seconds * 1000).toLocaleDateString('sv-SE')
    const link = join(packageRoot, name.replace('DAY', day))
    mkdirSync(join(link, '..'), { recursive: true })
    symlinkSync(outside, link)
    const [logged] = writeRunLogs({ results: [result], root: fixture.path, runFolder: fixture.getPath('run') })
    const audit = (): void => {
      const line = { ts: '', category: null, test_id: '', verdict: 'fail', judge_model: null }
      appendAudit(join(packageRoot, 'evals'), [sampledEntry(line as unknown as RunLogLine, '')])
    }
    if (name.includes('audit') || name === 'evals/runs') expect(audit).toThrow(/symbolic link/)
    if (!name.includes('audit')) expect(logged?.problem).toMatch(/symbolic link/)
    expect(isFile ? readFileSync(outside, 'utf8') : readdirSync(join(outside, 'responses'))).toEqual(
      isFile ? 'mine\n' : [],
    )
  },
)

test.each<[string, (file: string) => void]>([
  ['of 280 MB', (file) => (writeFileSync(file, ''), truncateSync(file, 280 * 1024 * 1024))],
  ['of 33 MiB', (file) => writeFileSync(file, `{${' '.repeat(33 * 1024 * 1024)}`)],
  ['that is a link to /dev/zero', (file) => symlinkSync('/dev/zero', file)],
  ['that is a pipe', (file) => void execFileSync('mkfifo', [file])],
])('a recording %s is an error of lint and of a run', async (_, make) => {
  await using fixture = await createFixture({ 'pkg/evals/recordings/cases/one/.keep': '' })
  const file = fixture.getPath('pkg/evals/recordings/cases/one/claude-code.1.json')
  make(file)
  expect(() => readRecording(file)).toThrow(expect.objectContaining({ code: 'recording-invalid' }))
})

test.skipIf(process.getuid?.() !== 0)(
  'no engine is started from a folder above the project that is another user’s',
  async () => {
    await using fixture = await createFixture({
      'node_modules/.bin/claude': '#!/bin/sh\necho "9.9.9 (Claude Code)"\n',
      'bin/claude': '#!/bin/sh\necho "2.1.304 (Claude Code)"\n',
      'project/x': '',
    })
    execFileSync('chmod', ['755', fixture.getPath('node_modules/.bin/claude'), fixture.getPath('bin/claude')])
    let asked = 0
    const find = async (): Promise<string | null> => {
      // The same question is answered from memory.
      asked += 1
      const environment = { PATH: `${fixture.getPath('bin')}:/bin:/${asked}` }
      return (await findEngine('claude-code', { environment, root: fixture.getPath('project') })).version
    }
    expect(await find()).toBe('9.9.9')
    for (const name of ['node_modules', 'node_modules/.bin']) {
      chownSync(fixture.getPath(name), NOBODY, NOBODY)
      expect(await find()).toBe('2.1.304')
      chownSync(fixture.getPath(name), 0, 0)
    }
    // A project of that user is run with what that user installed around it.
    for (const name of ['node_modules', 'node_modules/.bin', 'project'])
      chownSync(fixture.getPath(name), NOBODY, NOBODY)
    expect(await find()).toBe('9.9.9')
  },
)

const NOBODY = 65_534

/** A root with run folders that claim to be lost, and to have passed a case. */
async function lostRuns(
  ...names: readonly string[]
): Promise<{ readonly root: string; readonly paths: readonly string[] } & AsyncDisposable> {
  const fixture = await createFixture({ 'pkg/.keep': '', 'other/.keep': '' })
  const root = realpathSync(fixture.getPath('pkg'))
  const paths = names.map((name, index) => {
    const part = { packageRoot: name === 'up' ? `${root}/../other` : root }
    const cases = [plannedCase('a', part), plannedCase('b', part)]
    const planned = { ...PLANNED, cases, versions: { ...PLANNED.versions, agentEvals: readOwnVersion() } }
    const { path, plan } = createRunFolder(root, createRunId(new Date(1000 * index)), planned)
    const process = { pid: 4_194_305, startTicks: '1', host: hostname() }
    const lost = { ...plan, process, ...(name === 'foreign' ? { root: fixture.getPath('other') } : {}) }
    writeFileSync(join(path, 'run.json'), JSON.stringify(lost))
    writeFileSync(
      join(path, 'journal.7-0.jsonl'),
      encodeEntry(ended(4, caseResult('a', { ...part, key: `key of ${name}` }))),
    )
    return path
  })
  return { root, paths, [Symbol.asyncDispose]: () => fixture.rm() }
}

function reportsOf(root: string): readonly string[] {
  const folders = [root, join(root, '../other')].map((folder) => join(folder, 'evals/reports'))
  return folders.flatMap((folder) => (existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []))
}

test.each(['tracked', 'foreign', 'linked', 'of another user'])(
  'a run folder that is %s is not recovered, and nothing of it is resumed',
  async (name) => {
    if (name === 'of another user' && process.getuid?.() !== 0) return
    await using runs = await lostRuns(name, 'own')
    const [theirs = ''] = runs.paths
    execFileSync('git', ['init', '-q'], { cwd: runs.root })
    if (name === 'tracked') execFileSync('git', ['add', '-f', theirs], { cwd: runs.root })
    if (name === 'of another user') execFileSync('chown', ['-R', `${NOBODY}:${NOBODY}`, theirs])
    if (name === 'linked') {
      const elsewhere = join(runs.root, '../other/run')
      execFileSync('mv', [theirs, elsewhere])
      symlinkSync(elsewhere, theirs)
    }
    const earlier = readEarlierResults(runs.root, 'now')
    expect([earlier.find(`key of ${name}`), earlier.find('key of own')?.name]).toEqual([null, 'a'])
    expect(findLostRuns(runs.root).map(({ path }) => path)).toEqual([runs.paths[1]])
    expect(recoverRuns(runs.root, createRedactor({})).map(({ path }) => path)).toEqual([runs.paths[1]])
    expect(reportsOf(runs.root).length).toBe(1)
  },
)

test.each([
  ['tracked', 'a form that names every path', 2],
  ['tracked', 'a form that saves space', 4],
])('without Git, a run folder that is %s is not recovered: the index says so in %s', async (name, _, version) => {
  await using runs = await lostRuns(name, 'own')
  await using nothing = await createFixture({})
  execFileSync('git', ['init', '-q'], { cwd: runs.root })
  vi.stubEnv('PATH', nothing.path)
  onTestFinished(() => void vi.unstubAllEnvs())
  // Nothing is tracked yet.
  expect(findLostRuns(runs.root).map(({ path }) => path)).toEqual(runs.paths)
  vi.unstubAllEnvs()
  const add = ['-c', `index.version=${version}`, 'add', '-f', runs.paths[0] ?? '']
  execFileSync('git', add, { cwd: runs.root })
  vi.stubEnv('PATH', nothing.path)
  expect(findLostRuns(runs.root)).toEqual([])
})

test('a lost run whose journal names a package above the root creates no report there', async () => {
  await using runs = await lostRuns('up')
  const [recovered] = recoverRuns(runs.root, createRedactor({}))
  expect(recovered?.written.map(({ path }) => path)).toEqual([join(runs.paths[0] ?? '', 'report.json')])
  expect(reportsOf(runs.root)).toEqual([])
})

test('a lost run whose start is a path is refused, as by merge', async () => {
  await using runs = await lostRuns('own')
  const file = join(runs.paths[0] ?? '', 'run.json')
  const plan = JSON.parse(readFileSync(file, 'utf8')) as object
  writeFileSync(file, JSON.stringify({ ...plan, startedAt: '../../../other/evals/reports/x' }))
  const [recovered] = recoverRuns(runs.root, createRedactor({}))
  expect(recovered).toMatchObject({ written: [], problem: expect.stringContaining('startedAt') })
  expect(reportsOf(runs.root)).toEqual([])
})

test('what proves a statement is not taken from a file that the repository brings', async () => {
  await using runs = await lostRuns()
  const folder = join(runs.root, '.vitest/agent-evals')
  const line = { name: nameStatement('Do it.', 'It is done.'), model: 'm', about: 'nothing', absent: false }
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'statement-kinds.jsonl'), `${JSON.stringify(line)}\n`)
  const kinds = (): unknown => readKinds(folder)({ task: 'Do it.', statements: ['It is done.'] })
  expect(kinds()).toMatchObject([{ about: 'nothing' }])
  execFileSync('git', ['init', '-q'], { cwd: runs.root })
  execFileSync('git', ['add', '-f', folder], { cwd: runs.root })
  expect(kinds()).toEqual([null])
})

test('no skill is found behind a link, so that another description of it changes no file there', async () => {
  await using fixture = await createFixture({
    'outside/own/SKILL.md': '---\nname: own\n---\n',
    'repo/skills/real/SKILL.md': '---\nname: real\n---\n',
    'repo/skills/half/.keep': '',
  })
  const outside = fixture.getPath('outside')
  symlinkSync(join(outside, 'own'), fixture.getPath('repo/skills/own'))
  symlinkSync(outside, fixture.getPath('repo/more'))
  symlinkSync(join(outside, 'own/SKILL.md'), fixture.getPath('repo/skills/half/SKILL.md'))
  const { skills } = await findSkills(fixture.getPath('repo'))
  expect(skills.map(({ name }) => name)).toEqual(['real'])
})

test('a report of a run folder that the repository brings is not judged again', async () => {
  await using runs = await lostRuns('tracked', 'own')
  const reports = runs.paths.map((path, index) => {
    const file = join(runs.root, `${index}.json`)
    const cases = [
      {
        id: 'evals/cases/a.yaml#a',
        name: 'a',
        verdict: 'ERROR',
        file: 'packages/review/evals/cases/a.yaml',
        engine: 'claude-code',
      },
    ]
    writeFileSync(file, JSON.stringify({ version: 1, agent_evals_version: '0.2.0', id: path.split('/').at(-1), cases }))
    return file
  })
  const read = (): readonly string[] => reports.map((file) => readStoredReport(file).folder.path)
  expect(read()).toEqual(runs.paths)
  execFileSync('git', ['init', '-q'], { cwd: runs.root })
  execFileSync('git', ['add', '-f', runs.paths[0] ?? ''], { cwd: runs.root })
  // Its options name programs.
  expect(read).toThrow(expect.objectContaining({ code: 'no-match' }))
})

test('folders that are named for merge may come from anywhere, and decide nothing but what the report says', async () => {
  await using runs = await lostRuns('tracked', 'foreign')
  execFileSync('git', ['init', '-q'], { cwd: runs.root })
  execFileSync('git', ['add', '-A', '-f'], { cwd: runs.root })
  if (process.getuid?.() === 0) execFileSync('chown', ['-R', `${NOBODY}:${NOBODY}`, runs.root])
  for (const [index, path] of runs.paths.entries()) {
    const plan = JSON.parse(readFileSync(join(path, 'run.json'), 'utf8')) as { readonly cases: readonly object[] }
    // A name that leads out of the folder of the report.
    const engineName = index === 0 ? 'claude-code' : '/../../../out'
    const cases = plan.cases.map((one) => ({ ...one, engineName }))
    writeFileSync(join(path, 'run.json'), JSON.stringify({ ...plan, cases }))
    const packageRoot = runs.root
    const result = caseResult('a', { packageRoot, engineName })
    writeFileSync(join(path, 'journal.7-0.jsonl'), encodeEntry(ended(4, result)))
  }
  const { reports } = mergeRuns(findRunFolders(runs.root))
  expect(reports.length).toBe(2)
  mkdirSync(join(runs.root, 'a/b'), { recursive: true })
  const path = join(runs.root, 'a/b/all.json')
  const written = writeReports(reports, { runFolder: join(runs.root, 'a/b'), redactor: createRedactor({}), path })
  expect(written.every((one) => one.path.startsWith(join(runs.root, 'a/b/all.')) && !one.path.includes('..'))).toBe(
    true,
  )
  expect(readdirSync(join(runs.root, 'a/b')).length).toBe(2)
})

test.each([
  ['a link to /dev/zero', (file: string) => symlinkSync('/dev/zero', file)],
  ['a pipe', (file: string) => void execFileSync('mkfifo', [file])],
])('a journal that is %s ends', async (_, make) => {
  await using runs = await lostRuns('own')
  const [path = ''] = runs.paths
  make(join(path, 'journal.8-0.jsonl'))
  expect(() => mergeRuns(findRunFolders(path))).toThrow(/is a (?:device|named pipe)/)
})

test.each<[string, (plan: Record<string, unknown>) => void, string]>([
  [
    'a billion shards',
    (plan) => (plan['options'] = { shard: { index: 1, count: 1e9 } }),
    'run.json: options.shard.count',
  ],
  ['a start that is a number', (plan) => (plan['startedAt'] = 5), 'run.json: startedAt'],
  ['no rounds', (plan) => delete plan['rounds'], 'run.json: rounds'],
  ['a case that is nothing', (plan) => (plan['cases'] = [null]), 'run.json: cases.0'],
  ['another version', (plan) => (plan['version'] = 9), 'run.json is no plan of a run'],
])('a run folder whose plan has %s is an error of merge with its file and field', async (_, damage, said) => {
  await using runs = await lostRuns('own')
  const [folder = ''] = runs.paths
  const plan = JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8')) as Record<string, unknown>
  damage(plan)
  writeFileSync(join(folder, 'run.json'), JSON.stringify(plan))
  const error = expect.objectContaining({ code: 'invalid-report', message: expect.stringContaining(said) as unknown })
  expect(() => mergeRuns(findRunFolders(runs.root))).toThrow(error)
})

test('a run folder with a pipe in the place of its plan is an error of merge', async () => {
  await using runs = await lostRuns('own')
  const file = join(runs.paths[0] ?? '', 'run.json')
  rmSync(file)
  execFileSync('mkfifo', [file])
  expect(() => findRunFolders(runs.root)).toThrow(`${file} is no plan of a run`)
})
