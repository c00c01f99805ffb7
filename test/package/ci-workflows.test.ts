// @module-tag slow
// @module-tag long
import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createFixture, type FsFixture } from 'fs-fixture'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { Report } from '../../src/report/report.ts'
import { undecidedKinds } from '../support/model-judge.ts'
import { startMessagesServer, type ReceivedRequest, type Turn } from '../support/messages-server.ts'
import { outputOf } from '../support/command.ts'
import { docPages } from '../support/doc-blocks.ts'
import { startModelApis } from '../support/model-apis.ts'
import { REPOSITORY } from '../support/repository.ts'
import { startProcess, type FinishedProcess } from '../support/running-process.ts'
import { readPageBlocks } from '../support/page-blocks.ts'
import { install as installOnce, vitestMajors } from '../support/majors.ts'
import { packedTarball } from '../support/tarball.ts'
import { readWorkflow, runStep, stepOf } from '../support/workflows.ts'

const evals = await readWorkflow('evals.yml')
const agents = await readWorkflow('agents.yml')

test('the workflows have the jobs that the page says, and every action has a version', () => {
  // A schedule spends, so it is a comment.
  expect(Object.keys(evals.on)).toEqual(['pull_request', 'push', 'workflow_dispatch'])
  expect(Object.keys(evals.jobs)).toEqual(['replay', 'comment', 'live', 'merge'])
  expect(evals.jobs['live']?.strategy?.matrix).toEqual({ engine: ['claude-code'], shard: [1, 2, 3, 4] })
  expect(agents.on).toEqual({
    pull_request: {
      paths: ['persona/**', 'memory/**', 'tools.md', 'model.md', 'evals/**'].map((path) => `agents/caldwell/${path}`),
    },
  })
  const actions = [evals, agents].flatMap(({ jobs }) => Object.values(jobs).flatMap(({ steps }) => steps))
  expect(new Set(actions.flatMap(({ uses = [] }) => uses))).toEqual(
    new Set([
      'actions/checkout@v6',
      'actions/setup-node@v6',
      'actions/upload-artifact@v6',
      'actions/download-artifact@v7',
    ]),
  )
  // What runs for every pull request, also for one from a fork, has no secret.
  expect(JSON.stringify(evals.jobs['replay'])).not.toContain('secrets.')
  expect(agents.jobs['golden']?.if).toBe('github.event.pull_request.head.repo.full_name == github.repository')
  // Each job that has a result uploads its page.
  const uploads = [evals.jobs['replay'], evals.jobs['merge'], agents.jobs['golden']].map((job) =>
    job?.steps.filter(({ uses }) => uses?.startsWith('actions/upload-artifact')).map((step) => step.with?.['path']),
  )
  expect(uploads).toEqual([
    [expect.stringMatching(/evals-report\.html\n *evals-comment\.md/)],
    ['evals-report.*'],
    [expect.stringContaining('evals-report.html')],
  ])
  expect(stepOf(evals, 'replay', 'Install the sandbox').run).toContain('apparmor_restrict_unprivileged_userns=0')
})

test('the files to copy are in the npm package', async () => {
  const packed = JSON.parse(await outputOf('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'])) as readonly {
    readonly files: readonly { readonly path: string }[]
  }[]
  const paths = packed.flatMap(({ files }) => files.map(({ path }) => path))
  expect(paths.filter((path) => path.startsWith('docs/ci')).toSorted()).toEqual([
    'docs/ci.md',
    'docs/ci/agents.yml',
    'docs/ci/evals.yml',
    'docs/ci/gitlab-ci.yml',
  ])
})

// The checker has the schema that GitLab publishes, and needs a newer Node than this package.
test('the file for GitLab is valid by the schema of GitLab, and has a job that runs and one that is started', async () => {
  const checker = join(await installOnce('gitlab-ci-local-4.75.1', { 'gitlab-ci-local': '4.75.1' }), 'gitlab-ci-local')
  const node = (await vitestMajors()).at(-1)?.node ?? process.execPath
  const text = await readFile(join(REPOSITORY, 'docs/ci/gitlab-ci.yml'), 'utf8')
  await using repository = await createFixture({
    '.gitlab-ci.yml': text,
    'wrong.yml': text.replace('when: always', 'when: sometimes'),
    'home/x': '',
  })
  const run = (program: string, ...args: string[]): Promise<FinishedProcess> =>
    startProcess(program, args, {
      cwd: repository.path,
      env: { PATH: process.env['PATH'], HOME: repository.getPath('home') },
    }).finished
  await run('git', 'init', '--quiet', '--initial-branch', 'main')
  await run('git', 'remote', 'add', 'origin', 'git@gitlab.com:group/project.git')
  await run('git', 'add', '.gitlab-ci.yml')
  await run('git', '-c', 'user.name=A', '-c', 'user.email=a@example.org', 'commit', '--quiet', '--message', 'x')
  const list = (...args: string[]): Promise<FinishedProcess> => run(node, join(checker, 'dist/index.js'), ...args)
  const valid = await list('--list-json')
  expect(valid.exitCode, valid.all).toBe(0)
  expect(JSON.parse(valid.stdout)).toMatchObject([
    { name: 'evals', when: 'on_success', allow_failure: false },
    { name: 'evals-live', when: 'manual', allow_failure: true },
  ])
  const wrong = await list('--file', 'wrong.yml', '--list-json')
  expect(wrong.exitCode, wrong.all).not.toBe(0)
  expect(wrong.all).toContain('evals.artifacts.when')
})

// The steps are run as they are written, and they ask for it by name.
const hasBubblewrap = ['/usr/bin/bwrap', '/usr/local/bin/bwrap'].some((file) => existsSync(file))

describe.runIf(hasBubblewrap)(
  'the steps, run as they are written in the example package',
  { tags: ['claude-code'] },
  () => {
    let project: FsFixture
    beforeAll(async () => {
      project = await createFixture()
      await install(project.path)
    })
    afterAll(() => project.rm())

    test('a pull request is green, and where a case fails its line is annotated', async () => {
      const replay = stepOf(evals, 'replay', 'Replay')
      const green = await runStep(project, replay)
      expect(green.exitCode, green.all).toBe(0)
      expect(green.raw).not.toContain('::error')
      expect(await readSummary(project)).toMatch(/^### Agent evals: 3 passed$/m)

      const guard = 'hooks/scripts/guard.mjs'
      const text = await project.readFile(guard, 'utf8')
      await project.writeFile(guard, text.replace('process.exit(2)', 'process.exit(0)'))
      const red = await runStep(project, replay)
      await project.writeFile(guard, text)
      expect(red.exitCode, red.all).toBe(1)
      expect(red.raw).toMatch(/^::error file=[^\n]*evals\/cases\/hook-blocks-protected-write\.yaml,[^\n]*line=11,/m)
      expect(decoded(await readSummary(project))).toMatch(
        /^#### Failed \(1\)\n\n- <code>hook-blocks-protected-write<\/code>: failed\n[^#]*- At <code>evals\/cases\//m,
      )
      const junit = await project.readFile('evals-junit.xml', 'utf8')
      expect(junit).toMatch(/<testcase [^>]*name="hook-blocks-protected-write"[^>]*>\s*<failure /)
      expect((await readReport(project, 'evals-report.json')).summary).toMatchObject({ total: 3, failed: 1 })
    })

    test('a case without a recording is red, and says which command records it', async () => {
      const file = 'evals/cases/new.yaml'
      await project.writeFile(file, 'name: new\ninput:\n  prompt: Say hello.\njudge:\n  criteria: It greets.\n')
      const red = await runStep(project, stepOf(evals, 'replay', 'Replay'))
      await project.rm(file)
      expect(red.exitCode, red.all).toBe(2)
      expect(red.all).toContain('npx vitest-agent-evals run --record evals/cases/new.yaml:1')
    })

    test.for([
      ['the job of GitLab CI', async () => readGitLab('evals')],
      ['the command for any other CI', async () => readJunitRecipe()],
    ] as const)('%s replays, and writes a JUnit file', async ([, read]) => {
      await project.rm('evals-junit.xml')
      const replay = await runStep(project, { run: await read() })
      expect(replay.exitCode, replay.all).toBe(0)
      const junit = await project.readFile('evals-junit.xml', 'utf8')
      expect(junit).toMatch(/<testcase [^>]*name="hook-blocks-protected-write"/)
    })

    test('the live job of GitLab CI asks the model, and leaves its report and its page', async () => {
      await using model = await startModelApis(() => ['Hello'])
      const secrets = { ANTHROPIC_API_KEY: 'sk-ant-real-0123456789', ANTHROPIC_BASE_URL: model.url }
      const live = await runStep(project, { run: await readGitLab('evals-live') }, secrets)
      expect(live.exitCode, live.all).toBe(1)
      expect(await readReport(project, 'evals-report.json')).toMatchObject({ source: 'live', summary: { total: 3 } })
      expect(readPageBlocks(await project.readFile('evals-report.html', 'utf8')).overview.totals.total).toBe(3)
    })

    test('a night is cut into shards, which are merged to the report of one run', async () => {
      const engine = 'claude-code'
      await using model = await startModelApis(() => ['Hello'])
      const { run = '', env } = stepOf(evals, 'live', 'Run live')
      expect(Object.keys(env ?? {})).toEqual(['ANTHROPIC_API_KEY'])
      const secrets = { ANTHROPIC_API_KEY: 'sk-ant-real-0123456789', ANTHROPIC_BASE_URL: model.url }
      await rm(join(project.path, 'runs'), { recursive: true, force: true })
      for (const shard of ['1', '2', '3', '4']) {
        await rm(join(project.path, '.vitest'), { recursive: true, force: true })
        const live = await runStep(project, { run: expand(run, { engine, shard }), env: {} }, secrets)
        expect(live.exitCode, live.all).toBe(0)
        // What the two steps around it do with artifacts.
        await mkdir(join(project.path, 'runs'), { recursive: true })
        if (existsSync(join(project.path, '.vitest/agent-evals')))
          await rename(join(project.path, '.vitest/agent-evals'), join(project.path, `runs/runs-${engine}-${shard}`))
      }
      expect(model.requests.length).toBeGreaterThan(2)

      const merge = stepOf(evals, 'merge', 'Merge')
      const merged = await runStep(project, { ...merge, run: expand(merge.run ?? '', { engine }) })
      const report = await readReport(project, `evals-report.${engine}.json`)
      expect(report, merged.all).toMatchObject({ status: 'complete', config: { engine }, summary: { total: 3 } })
      expect(merged.exitCode, merged.all).toBe(1)
      const page = readPageBlocks(await project.readFile(`evals-report.${engine}.html`, 'utf8'))
      expect(Object.values(page.details).flatMap(({ runs }) => runs.map(({ missing }) => missing))).toEqual([
        null,
        null,
        null,
      ])
      expect(await readSummary(project)).toContain('#### Failed (3)')
    })

    test('golden tests of an agent are red where one fails, and green where none does', async () => {
      let worst = 1
      await using model = await startMessagesServer(
        (request) => scoring(request, (asked) => (asked.includes('deduct') ? worst : 5)) ?? { text: 'Hello' },
      )
      await cp(join(REPOSITORY, 'example-package/agents/archivist'), project.getPath('agents/archivist'), {
        recursive: true,
      })
      const golden = stepOf(agents, 'golden', 'Run the golden tests')
      expect(Object.keys(golden.env ?? {})).toEqual(['ATOMIC_AGENTS_ANTHROPIC_KEY', 'ATOMIC_AGENTS_OPENAI_KEY'])
      // The two names to change are the agent and the paths.
      const secrets = {
        AGENT: 'archivist',
        ATOMIC_AGENTS_ANTHROPIC_KEY: 'sk-ant-real-0123456789',
        ANTHROPIC_BASE_URL: model.url,
      }
      const red = await runStep(project, golden, secrets)
      expect(red.exitCode, red.all).toBe(1)
      expect(red.raw).toMatch(/^::error file=[^\n]*agents\/archivist\/evals\/golden\/decline\/001_tax_question\.md,/m)
      expect(await readReport(project, 'evals-report.json')).toMatchObject({
        source: 'live',
        summary: { total: 4, passed: 3, failed: 1 },
      })
      expect(await project.readFile('evals-junit.xml', 'utf8')).toContain('decline/001_tax_question')
      const { totals } = readPageBlocks(await project.readFile('evals-report.html', 'utf8')).overview
      expect(totals).toMatchObject({ passed: 3, failed: 1 })

      worst = 5
      const green = await runStep(project, golden, secrets)
      expect(green.exitCode, green.all).toBe(0)
    })
  },
)

/** The script of a job of the pipeline. */
async function readGitLab(job: 'evals' | 'evals-live'): Promise<string> {
  const file = parse(await readFile(join(REPOSITORY, 'docs/ci/gitlab-ci.yml'), 'utf8')) as Record<
    'evals' | 'evals-live',
    { readonly script: readonly string[]; readonly artifacts: object; readonly rules: readonly object[] }
  >
  expect(file.evals.artifacts).toMatchObject({ when: 'always', reports: { junit: 'evals-junit.xml' } })
  expect(file['evals-live'].rules).toMatchObject([{ when: 'manual', allow_failure: true }])
  return file[job].script.join('\n')
}

async function readJunitRecipe(): Promise<string> {
  const page = (await docPages()).find((one) => one.page === 'docs/ci.md')
  return page?.blocks.find(({ language, text }) => language === 'sh' && text.includes('junit'))?.text ?? ''
}

/** The answer of a judge by the rubric of the archivist; `null` when the request is not the judge's. */
function scoring({ body }: ReceivedRequest, scoreOf: (asked: string) => number): Turn | null {
  const asked = JSON.stringify(body.messages)
  const nonce = /nonce: ([0-9a-f]{32})/.exec(asked)?.[1]
  if (nonce === undefined) return null
  const kinds = undecidedKinds(asked, nonce)
  if (kinds !== null) return { text: kinds }
  const evidence = [{ item: '', quote: 'Hello' }]
  const given = { justification: 'It does.', evidence, looked_for: [], score: scoreOf(asked) }
  const fact = { claim: 'It', stated_in_response: true, value_correct: true, cited: true, evidence }
  const answer = {
    nonce,
    correctness: given,
    memory_recall: given,
    scope_discipline: given,
    brevity: given,
    hard_fails: [],
    factual_checks: asked.includes('## Expected facts') ? [fact] : [],
    overall: { justification: 'It does.' },
    orders: '',
  }
  return { text: JSON.stringify(answer) }
}

function expand(text: string, matrix: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\{\{ matrix\.(\w+) \}\}/g, (_all, name: string) => matrix[name] ?? '')
}

function readSummary(project: FsFixture): Promise<string> {
  return project.readFile('summary.md', 'utf8')
}

/** Markdown with its characters as they are shown. */
function decoded(markdown: string): string {
  return markdown.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
}

async function readReport(project: FsFixture, file: string): Promise<Report> {
  return JSON.parse(await project.readFile(file, 'utf8')) as Report
}

/** The example package with three of its cases, and what `npm ci` would install. */
async function install(folder: string): Promise<void> {
  await cp(join(REPOSITORY, 'example-package'), folder, {
    recursive: true,
    filter: (source) => !/\/(?:reports|node_modules|\.vitest)$/.test(source),
  })
  for (const suite of await readdir(join(folder, 'skills')))
    await rm(join(folder, 'skills', suite, 'evals'), { recursive: true, force: true })
  await rm(join(folder, 'agents/archivist'), { recursive: true, force: true })
  const kept = new Set([
    'hook-allows-project-write.yaml',
    'hook-blocks-protected-write.yaml',
    'pdf-extraction-e2e.yaml',
  ])
  for (const name of await readdir(join(folder, 'evals/cases')))
    if (!kept.has(name)) await rm(join(folder, 'evals/cases', name))
  await mkdir(join(folder, 'home'))
  const dependencies = { vitest: '4.1.12', vite: '8.3.8', 'vitest-agent-evals': `file:${await packedTarball()}` }
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies }))
  await outputOf('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', '--no-package-lock'], {
    cwd: folder,
  })
}
