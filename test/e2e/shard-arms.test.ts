// @module-tag claude-code
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { verdicts } from '../support/eval-project.ts'
import { describeEvals } from '../support/package-run.ts'
import { bash, doing, SKILLS, use } from '../support/skill-project.ts'
import type { Report } from '../../src/report/report.ts'
import type { FinishedProcess } from '../support/running-process.ts'

const EVALS = ['A', 'B'].map((id) => ({ id, prompt: `Write notes ${id}.`, expectations: ['It is done.'] }))

describeEvals('cases with and without their skill, twice each, on two machines', () => {
  test('the arms of a case stay together, and merge says what one run would', { tags: ['slow'] }, async () => {
    await using project = await createProject(repositoryVitest(), {
      ...SKILLS,
      'skills/notes/evals/evals.json': JSON.stringify({ evals: EVALS }),
      'evals/scenarios/A.yaml': doing([use('notes')], 1),
      'evals/scenarios/B.yaml': doing([use('notes')], 1),
      'evals/scenarios/A.without_skill.yaml': JSON.stringify({
        turns: ['no'],
        judge: [[{ verdict: 'fail', reason: 'It is not.', quote: 'no' }]],
      }),
      'evals/scenarios/B.without_skill.yaml': doing([bash('echo the notes are written')], 1),
    })
    const command = (...args: string[]): Promise<FinishedProcess> => project.agentEvals(args, { merged: true })
    const read = async (name: string): Promise<Report> =>
      JSON.parse(await readFile(join(project.root, name), 'utf8')) as Report
    const arms = ['--baseline', '--runs', '2']

    const shards = await Promise.all(
      [1, 2].map((index) => command('run', ...arms, '--shard', `${index}/2`, '-o', `${index}.json`)),
    )
    expect(shards.map(({ exitCode, all }) => (exitCode === 0 ? 0 : all))).toEqual([0, 0])
    expect(verdicts(await read('1.json'))).toEqual(['B PASS', 'B (without_skill) PASS'])
    expect(verdicts(await read('2.json'))).toEqual(['A PASS', 'A (without_skill) FAIL'])

    const merged = await command('merge', '.vitest/agent-evals', '-o', 'merged.json')
    expect(merged.exitCode, merged.all).toBe(0)
    expect(merged.all).toMatch(/Lift {2}\+50 points: 100% \(4 of 4\) with the skill, 50% \(2 of 4\)/)
    const report = await read('merged.json')
    expect(report.status).toBe('complete')
    expect(report.summary).toMatchObject({ total: 2, passed: 2, failed: 0, pass_rate: 1 })
    expect(report.lift).toMatchObject([{ cases: 2, better: 1, worse: 0, same: 1, difference: 0.5 }])
    expect(report.cases.map(({ name, repeats }) => [name, repeats?.passed, repeats?.completed])).toEqual([
      ['A', 2, 2],
      ['A (without_skill)', 0, 2],
      ['B', 2, 2],
      ['B (without_skill)', 2, 2],
    ])
  })
})
