// @module-tag claude-code
// @module-tag slow
// @module-tag long
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { glob } from 'tinyglobby'
import { expect, test } from 'vitest'
import { config, greeting, PACKAGE, readReports, saying, verdicts } from '../support/eval-project.ts'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { startUpstream } from '../support/upstream.ts'

const KEY = 'sk-ant-real-0123456789'

test('a recording that a pull request changed is not believed with --require-live', async () => {
  await using upstream = await startUpstream([{ stream: 'Good ', rest: 'day.' }])
  await using project = await createProject(repositoryVitest(), {
    ...PACKAGE,
    'vitest.config.ts': config("{ sandbox: 'prefer', requireLive: process.env.ONLY_OF }"),
    '.gitignore': 'node_modules\nevals/reports\n',
    'evals/cases/kept.yaml': greeting('kept'),
    'evals/cases/forged.yaml': greeting('forged'),
    'evals/scenarios/kept.yaml': saying('Hello, World'),
    'evals/scenarios/forged.yaml': saying('Hello, World'),
  })
  const git = (...words: readonly string[]): void =>
    void execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...words], { cwd: project.root })
  const run = async (args: readonly string[], env: Record<string, string> = {}): Promise<string> => {
    const finished = await project.agentEvals(['run', ...args], { env, merged: true })
    const reports = await readReports(project)
    for (const name of await glob('evals/reports/*', { cwd: project.root })) rmSync(join(project.root, name))
    return [...reports.flatMap(verdicts).toSorted(), finished.stdout].join('\n')
  }

  expect(await run(['--record'])).toMatch(/^forged PASS\nkept PASS\n/)
  rmSync(join(project.root, 'evals/scenarios'), { recursive: true })
  git('init', '-q', '-b', 'main')
  git('add', '-A')
  git('commit', '-q', '-m', 'one')
  // The recording of a scenario becomes one of a model that says what its author likes.
  const [file = ''] = await glob('evals/recordings/cases/forged/*.json', { cwd: project.root, absolute: true })
  writeFileSync(file, readFileSync(file, 'utf8').replace('"origin": "scenario"', '"origin": "claude-opus-5-5"'))
  git('checkout', '-q', '-b', 'theirs')
  git('commit', '-q', '-am', 'two')

  const believed = await run([])
  expect(believed).toMatch(/^forged PASS\nkept PASS\n/)
  const refused = await run(['--require-live', 'main'], { CI: 'true' })
  expect(refused).toMatch(/^forged ERROR recording-changed\nkept PASS\n/)
  expect(refused).toContain(
    'Its recording differs from the one at main, so the case must run live; no credential is set; set ANTHROPIC_API_KEY. Run it live: npx vitest-agent-evals run --live evals/cases/forged.yaml',
  )
  expect(await run(['--source', 'replay'], { ONLY_OF: 'main', ANTHROPIC_API_KEY: KEY })).toMatch(
    /^forged ERROR recording-changed\nkept PASS\n/,
  )
  expect(upstream.requests).toEqual([])

  const scripted = {
    'evals/cases/scripted.yaml': greeting('scripted'),
    'evals/scenarios/scripted.yaml': saying('Hello'),
  }
  mkdirSync(join(project.root, 'evals/scenarios'))
  for (const [path, text] of Object.entries(scripted)) await project.files.writeFile(path, text)
  const listed = await project.agentEvals(['list', '--json', '--require-live', 'main'])
  const { cases } = JSON.parse(listed.stdout) as { readonly cases: readonly { name: string; answers: string }[] }
  expect(cases.map(({ name, answers }) => `${name} ${answers}`)).toEqual([
    'forged live',
    'kept recording',
    'scripted live',
  ])
  for (const path of Object.keys(scripted)) await project.files.rm(path)

  // In CI it is the option that asks for spending. What was said live counts, and nothing is written.
  const written = readFileSync(file, 'utf8')
  const env = { CI: 'true', ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: upstream.url, AGENT_EVALS_REQUIRE_LIVE: 'main' }
  const live = await run(['--model', 'claude-opus-5-5'], env)
  expect(live).toMatch(/^forged FAIL\nkept PASS\n/)
  expect(live).toContain('1 case goes live')
  expect(upstream.requests.length).toBe(1)
  expect(readFileSync(file, 'utf8')).toBe(written)

  for (const args of [['run'], ['list']]) {
    const unknown = await project.agentEvals([...args, '--require-live', 'origin/main'], { merged: true })
    expect([
      unknown.exitCode,
      unknown.stdout.match(/--require-live origin\/main: Git knows no such commit/g)?.length,
    ]).toEqual([2, 1])
  }
})
