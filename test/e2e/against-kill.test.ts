// @module-tag claude-code
// @module-tag slow
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { Report } from '../../src/report/report.ts'
import { claudeExecutable } from '../support/engines.ts'
import { repositoryVitest } from '../support/majors.ts'
import { durableProject } from '../support/durable-project.ts'
import { verdicts } from '../support/eval-project.ts'
import { initialize } from '../support/git.ts'
import { caseOf, skill } from '../support/skill-project.ts'

const NAME = 'evals/scenarios/a.2.yaml'
const greets = { verdict: 'pass', reason: 'It greets.', quote: 'Hello' }
const quick = JSON.stringify({ turns: ['Hello'], judge: [[greets]] })
const sleeps = { name: 'Bash', input: { command: 'sleep 4321', timeout: 600_000 } }
const slow = JSON.stringify({ turns: [{ tools: [sleeps] }, 'Hello'] })

describe.skipIf(claudeExecutable() === null)('a run with --against that is killed', () => {
  test('keeps every finished run of both arms, with the comparison, and resumes them', async () => {
    const files = {
      '.gitignore': 'node_modules\n.vitest\nevals/reports\n',
      'skills/notes/SKILL.md': skill('notes', 'Writes notes.', 'In a kind tone.'),
      // The second run of `a` hangs in both arms.
      [NAME]: slow,
    }
    const cases = { a: 'quick', b: 'quick' } as const
    const plugin = { runs: 2, concurrency: 4 }
    await using durable = await durableProject(repositoryVitest(), cases, { files, plugin })
    const { root } = durable.project
    initialize(root)
    await durable.project.files.writeFile('skills/notes/SKILL.md', skill('notes', 'Writes notes.', 'In a harsh tone.'))
    const env = { AGENT_EVALS_AGAINST: 'HEAD' }
    const run = durable.start([], env)
    await durable.working(run, 2)
    while ((await durable.ended()) < 6) await wait(50)
    process.kill(run.pid, 'SIGKILL')
    await run.finished
    expect(await durable.reports()).toEqual([])
    await expect.poll(() => durable.alive(), { timeout: 20_000 }).toEqual([])

    const next = await durable.start(['evals/cases/b.yaml']).finished
    expect(next.exitCode, next.all).toBe(0)
    expect(next.all).toContain('agent-evals: recovered the results of a killed run')
    const [recovered] = await durable.reports()
    expect(recovered?.status).toBe('recovered')
    expect(verdicts(recovered!)).toEqual([
      'a ERROR interrupted',
      'a (variant) ERROR interrupted',
      'b PASS',
      'b (variant) PASS',
    ])
    expect(runsOf(recovered!)).toEqual([
      ['a', [1]],
      ['a (variant)', [1]],
      ['b', [1, 2]],
      ['b (variant)', [1, 2]],
    ])
    expect(caseOf(recovered!, 'a (variant)').runs[0]?.verdict?.outcome).toBe('passed')
    expect(recovered?.against?.result.cases.map(({ name, status }) => [name, status])).toEqual([
      ['a', 'undecided'],
      ['b', 'compared'],
    ])
    expect(recovered?.against?.texts).toMatchObject([{ part: 'body of the skill notes' }])
    // The files of the version are of no use to anybody any more.
    const folders = (await readdir(join(root, '.vitest/agent-evals'))).filter((name) => /^\d{4}-/.test(name))
    expect(folders.filter((name) => existsSync(join(root, '.vitest/agent-evals', name, 'before')))).toEqual([])

    await durable.project.files.writeFile(NAME, quick)
    const resumed = await durable.start([], { ...env, AGENT_EVALS_RESUME: '1' }).finished
    expect(resumed.exitCode, resumed.all).toBe(0)
    const report = (await durable.reports()).at(-1)!
    expect(verdicts(report)).toEqual(['a PASS', 'a (variant) PASS', 'b PASS', 'b (variant) PASS'])
    expect(report.cases.map(({ reused_from: from }) => from !== null)).toEqual([false, false, true, true])
    const kept = new Set(recovered!.cases.flatMap(({ runs }) => runs.map(({ folder }) => folder)))
    expect(report.cases.map(({ runs }) => runs.map(({ folder }) => kept.has(folder)))).toEqual([
      [true, false],
      [true, false],
      [true, true],
      [true, true],
    ])
    expect(report.against?.result.cases.map(({ status }) => status)).toEqual(['compared', 'compared'])
    await expect.poll(() => durable.alive(), { timeout: 20_000 }).toEqual([])
    expect(await durable.leftovers()).toEqual([])
  })
})

function runsOf({ cases }: Report): readonly (readonly [name: string, ended: readonly number[]])[] {
  return cases.map(({ name, runs }) => [name, runs.map(({ index }) => index)])
}
