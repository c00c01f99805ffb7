// @module-tag claude-code
// @module-tag slow
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { verdicts } from '../support/eval-project.ts'
import { doing, SKILLS, use } from '../support/skill-project.ts'
import type { Report } from '../../src/report/report.ts'
import type { FinishedProcess } from '../support/running-process.ts'

const IDS = ['A', 'B', 'C']
const EVALS = IDS.map((id) => ({ id, prompt: `Write notes ${id}.`, expectations: ['It is done.'] }))
const TIMES = {
  'skills/notes/evals/evals.json#A': 40,
  'skills/notes/evals/evals.json#B': 10,
  'evals/greets.eval.ts#greets': 35,
}
const GREETS = [
  "import { expect, test } from 'vitest-agent-evals/test'",
  "test('greets', async ({ agent }) => expect(await agent.run('Say hello.')).toContainOutput('hello'))",
].join('\n')

const RUNS = '.vitest/agent-evals'

test('machines with one file of times take parts of about the same time, which merge to one run', async () => {
  await using project = await createProject(repositoryVitest(), {
    ...SKILLS,
    'skills/notes/evals/evals.json': JSON.stringify({ evals: EVALS }),
    ...Object.fromEntries(IDS.map((id) => [`evals/scenarios/${id}.yaml`, doing([use('notes')], 1)])),
    'evals/greets.eval.ts': GREETS,
    'evals/scenarios/greets.yaml': 'turns: [hello]\n',
    'times.json': JSON.stringify(TIMES),
    'other.json': JSON.stringify({ ...TIMES, 'evals/greets.eval.ts#greets': 1 }),
    'bad.json': '{\n  "skills/notes/evals/evals.json#A": "40"\n}',
  })
  const command = (...args: string[]): Promise<FinishedProcess> => project.agentEvals(args, { merged: true })
  const runs = async (): Promise<readonly string[]> => (await readdir(join(project.root, RUNS))).toSorted()
  const folders = new Map<string, string>()
  const shard = async (index: number, count: number, name: string, times: string): Promise<FinishedProcess> => {
    const ended = await command('run', '--shard', `${index}/${count}`, '--shard-times', times, '-o', `${name}.json`)
    folders.set(name, `${RUNS}/${(await runs()).at(-1)}`)
    return ended
  }
  const read = async (name: string): Promise<Report> =>
    JSON.parse(await readFile(join(project.root, `${name}.json`), 'utf8')) as Report
  const runOf = (name: string): string => folders.get(name) ?? ''

  const [first, second] = [await shard(1, 2, 'first', 'times.json'), await shard(2, 2, 'second', 'times.json')]
  expect([first.exitCode === 0 ? 0 : first.all, second.exitCode === 0 ? 0 : second.all]).toEqual([0, 0])
  expect(verdicts(await read('first'))).toEqual(['greets PASS', 'C PASS'])
  expect(verdicts(await read('second'))).toEqual(['A PASS', 'B PASS'])
  expect(first.all).toContain(
    'agent-evals: shard 1/2: 1 of 3 cases and 1 of 1 test file, about 60 s of 110 s by times.json; 1 without a time counts as the median',
  )
  expect(second.all).toContain(
    'agent-evals: shard 2/2: 2 of 3 cases and 0 of 1 test file, about 50 s of 110 s by times.json',
  )

  const listed = await command('list', '--shard', '2/2', '--shard-times', 'times.json', '--json')
  const { cases, files } = JSON.parse(listed.all) as { cases: { name: string }[]; files: string[] }
  expect([cases.map(({ name }) => name), files]).toEqual([['A', 'B'], []])

  const merged = await command('merge', runOf('first'), runOf('second'), '-o', 'merged.json', '--comment', 'out/c.md')
  expect(merged.exitCode, merged.all).toBe(0)
  expect(merged.all).toContain('Comment  out/c.md')
  expect(await readFile(join(project.root, 'out/c.md'), 'utf8')).toMatch(
    /^<!-- vitest-agent-evals -->\n### Agent evals: 4 passed\n\n\| \| \|/,
  )
  const whole = await read('merged')
  expect([whole.status, ...verdicts(whole)]).toEqual(['complete', 'greets PASS', 'A PASS', 'B PASS', 'C PASS'])

  const strange = await shard(2, 2, 'strange', 'other.json')
  expect(strange.exitCode, strange.all).toBe(0)
  const refused = await command('merge', runOf('first'), runOf('strange'), '-o', 'refused.json')
  expect(refused.exitCode, refused.all).toBe(2)
  expect(refused.all).toMatch(/The shards were cut by different expected times.* by times\.json .* by other\.json/)

  const bad = await shard(1, 2, 'bad', 'bad.json')
  expect(bad.exitCode).not.toBe(0)
  expect(bad.all).toMatch(/bad\.json:2:38 skills\/notes\/evals\/evals\.json#A: expected seconds, from 0 to/)

  // The report of before is such a file as well. A machine without a part of the run is none that was lost.
  const before = await runs()
  for (const index of [1, 2]) {
    const part = ['--shard', `${index}/2`, '--shard-times', 'merged.json', '--no-report']
    const { exitCode, all } = await command('run', 'evals/greets.eval.ts', ...part)
    expect(exitCode, all).toBe(0)
    expect(all).toMatch(
      index === 1 ? /1 of 1 test file, about .* by merged\.json/ : /0 of 1 test file, about 0\.0 s of/,
    )
  }
  const parts = (await runs()).filter((name) => !before.includes(name))
  const both = await command('merge', ...parts.map((name) => `${RUNS}/${name}`), '-o', 'both.json')
  expect(both.exitCode, both.all).toBe(0)
  expect([(await read('both')).status, ...verdicts(await read('both'))]).toEqual(['complete', 'greets PASS'])
})
