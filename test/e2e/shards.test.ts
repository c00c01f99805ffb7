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
const GREETS = [
  "import { expect, test } from 'vitest-agent-evals/test'",
  "test('greets', async ({ agent }) => expect(await agent.run('Say hello.')).toContainOutput('hello'))",
].join('\n')

const RUNS = '.vitest/agent-evals'

test('each case runs on one machine, an empty part is green, and merge makes one run of the parts', async () => {
  await using project = await createProject(repositoryVitest(), {
    ...SKILLS,
    'skills/notes/evals/evals.json': JSON.stringify({ evals: EVALS }),
    ...Object.fromEntries(IDS.map((id) => [`evals/scenarios/${id}.yaml`, doing([use('notes')], 1)])),
    'evals/greets.eval.ts': GREETS,
    'evals/scenarios/greets.yaml': 'turns: [hello]\n',
  })
  const command = (...args: string[]): Promise<FinishedProcess> => project.agentEvals(args, { merged: true })
  const runs = async (): Promise<readonly string[]> => (await readdir(join(project.root, RUNS))).toSorted()
  const folders = new Map<string, string>()
  const shard = async (name: string, part: string, ...filters: string[]): Promise<FinishedProcess> => {
    const ended = await command('run', ...filters, '--shard', part, '-o', `${name}.json`)
    folders.set(name, `${RUNS}/${(await runs()).at(-1)}`)
    return ended
  }
  const read = async (name: string): Promise<Report> =>
    JSON.parse(await readFile(join(project.root, `${name}.json`), 'utf8')) as Report
  const runOf = (name: string): string => folders.get(name) ?? ''

  const [first, second] = [await shard('first', '1/2'), await shard('second', '2/2')]
  expect([first.exitCode === 0 ? 0 : first.all, second.exitCode === 0 ? 0 : second.all]).toEqual([0, 0])
  expect(verdicts(await read('first'))).toEqual(['greets PASS', 'A PASS', 'B PASS'])
  expect(verdicts(await read('second'))).toEqual(['C PASS'])
  expect(first.all).toContain('agent-evals: shard 1/2: 2 of 3 cases and 1 of 1 test file')
  expect(second.all).toContain('agent-evals: shard 2/2: 1 of 3 cases and 0 of 1 test file')

  const listed = await command('list', '--shard', '1/2', '--json')
  const { cases, files } = JSON.parse(listed.all) as { cases: { name: string }[]; files: string[] }
  expect([cases.map(({ name }) => name), files]).toEqual([['A', 'B'], ['evals/greets.eval.ts']])

  const merged = await command('merge', runOf('first'), runOf('second'), '-o', 'merged.json', '--comment', 'out/c.md')
  expect(merged.exitCode, merged.all).toBe(0)
  expect(merged.all).toContain('Comment  out/c.md')
  expect(await readFile(join(project.root, 'out/c.md'), 'utf8')).toMatch(
    /^<!-- vitest-agent-evals -->\n### Agent evals: 4 passed\n\n\| \| \|/,
  )
  const whole = await read('merged')
  expect([whole.status, ...verdicts(whole)]).toEqual(['complete', 'greets PASS', 'A PASS', 'B PASS', 'C PASS'])

  const strange = await shard('strange', '2/2', 'A', 'B')
  expect(strange.exitCode, strange.all).toBe(0)
  const refused = await command('merge', runOf('first'), runOf('strange'), '-o', 'refused.json')
  expect(refused.exitCode, refused.all).toBe(2)
  expect(refused.all).toContain('The shards planned different cases')

  // A machine without a part of the run is none that was lost.
  const parts = [
    await shard('full', '1/2', 'evals/greets.eval.ts'),
    await shard('empty', '2/2', 'evals/greets.eval.ts'),
  ]
  expect(parts.map(({ exitCode, all }) => (exitCode === 0 ? 0 : all))).toEqual([0, 0])
  expect(parts[1]?.all).toContain('0 of 1 test file')
  const both = await command('merge', runOf('full'), runOf('empty'), '-o', 'both.json')
  expect(both.exitCode, both.all).toBe(0)
  expect([(await read('both')).status, ...verdicts(await read('both'))]).toEqual(['complete', 'greets PASS'])
})
