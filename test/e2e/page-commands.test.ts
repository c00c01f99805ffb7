// @module-tag no-engine
// @module-tag slow
import { mkdir, readdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { createProject, type TestProject } from '../support/project.ts'
import { REPOSITORY } from '../support/repository.ts'
import { greetings, DIRECT_PACKAGE } from '../support/eval-project.ts'

const major = repositoryVitest()

let project: TestProject
let run: string
beforeAll(async () => {
  project = await createProject(major, { ...DIRECT_PACKAGE, ...greetings({ good: 'Hello', bad: 'Goodbye' }) })
  const { all } = await command('run', '--html', '-o', 'evals/reports/first.json')
  run = (await readdir(join(project.root, '.vitest/agent-evals'))).find((name) => /^\d/.test(name)) ?? ''
  expect(all).toContain(`Page  .vitest/agent-evals/${run}/report.html`)
})
afterAll(() => project?.[Symbol.asyncDispose]())

test('a run with --html leaves its page in the run folder', async () => {
  const page = await read(`.vitest/agent-evals/${run}/report.html`)
  expect(page.match(/id="case-(?:good|bad)-[0-9a-f]{8}"/g)).toHaveLength(2)
})

test('view writes the page of the latest run, of a report, of a run folder, and to a file', async () => {
  const folder = `.vitest/agent-evals/${run}`
  expect((await command('view', '--no-open')).all.trim()).toBe(`${folder}/report.html`)
  expect((await command('view', 'evals/reports/first.json')).all.trim()).toBe(`${folder}/first.html`)
  expect((await command('view', folder, '-o', 'a.html')).all.trim()).toBe('a.html')
  expect((await command('view', '.vitest/agent-evals', '-o', 'b.html')).exitCode).toBe(0)
  for (const file of ['a.html', 'b.html']) expect(await read(file)).toContain('id="case-good-')
})

test('view names what it cannot show', async () => {
  await project.files.writeFile('broken.json', '{}')
  const wrong = [
    [['view', 'missing.json'], /There is no report at .*missing\.json/],
    [['view', 'broken.json'], /broken\.json was not written by vitest-agent-evals 0\.2 or later/],
    [['view', 'evals'], /contains no run/],
    [['view', '-o', 'missing/../evals'], /Cannot write the page/],
  ] as const
  for (const [args, message] of wrong) {
    const { exitCode, all } = await command(...args)
    expect([exitCode, all]).toEqual([2, expect.stringMatching(message)])
  }
})

test('merge --html writes the page of the merged report, with its transcripts', async () => {
  const { all } = await command('merge', '.vitest/agent-evals', '-o', 'merged.json', '--html', 'merged.html')
  expect(all).toContain('Page  merged.html')
  expect(await read('merged.html')).toContain('id="case-bad-')
  expect((await command('view', 'merged.json', '-o', 'again.html')).exitCode).toBe(0)
})

test('tests carry their evidence only for the html reporter', async () => {
  await command('run', 'good', '--no-report')
  expect(await attachments()).toEqual([])
  await mkdir(join(project.root, 'node_modules/@vitest'), { recursive: true })
  await symlink(join(REPOSITORY, 'node_modules/@vitest/ui'), join(project.root, 'node_modules/@vitest/ui'))
  const { all } = await command('run', 'good', '--no-report', '--reporter=html')
  const kinds = (await attachments()).map((name) =>
    name.replace(/-[0-9a-f]{40}/, '').replace('.vitest-attachments/', ''),
  )
  expect(kinds.toSorted(), all).toEqual(['judge-verdicts.json', 'transcript.jsonl'])
})

async function attachments(): Promise<readonly string[]> {
  const names = await readdir(project.root, { recursive: true })
  return names.filter((name) => /^\.vitest-attachments\/.*\.jsonl?$/.test(name))
}

function command(...args: string[]): ReturnType<TestProject['agentEvals']> {
  return project.agentEvals(args, { env: { AGENT_EVALS_SANDBOX: 'prefer' }, merged: true })
}

function read(file: string): Promise<string> {
  return project.files.readFile(file, 'utf8')
}
