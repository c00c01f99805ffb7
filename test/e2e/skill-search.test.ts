// @module-tag claude-code
// @module-tag slow
import { describe, expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { config } from '../support/eval-project.ts'
import { doing, runEvals, skill, SKILLS, use } from '../support/skill-project.ts'

const QUERY = (id: string): string => JSON.stringify([{ id, query: `Query ${id}.`, should_trigger: true }])

const major = repositoryVitest()

describe('list and lint', () => {
  test('tell which of two equal places is used and what belongs to no skill, and a run tells it too', async () => {
    await using project = await createProject(major, {
      ...SKILLS,
      'evals/one/notes/triggers.json': QUERY('used'),
      'evals/two/notes/triggers.json': QUERY('shadowed'),
      'evals/one/lettres/triggers.json': QUERY('unclaimed'),
      'evals/scenarios/used.yaml': doing([use('notes')]),
    })
    const notes = [
      'Evals of notes are also in evals/two/notes; only those in evals/one/notes are used.',
      'evals/one/lettres/triggers.json matches no skill. Write "skill_name". Skills: letters, notes.',
    ]
    const list = await project.agentEvals(['list', '--json'])
    expect(JSON.parse(list.stdout)).toMatchObject({
      cases: [{ id: expect.stringMatching(/#used$/) as string }],
      notes: notes.map((message) => ({ message })),
    })
    const words = await project.agentEvals(['list'])
    expect(words.stdout.split('\n').filter((line) => line.startsWith('note: '))).toEqual(
      notes.map((note) => `note: ${note}`),
    )
    const lint = await project.agentEvals(['lint'])
    expect(lint.stdout).toMatch(/evals\/one\/notes\/triggers\.json:1:1 +warning +Evals of notes are also in/)
    expect(lint.stdout).toContain(`note: ${notes[1]}`)
    const { all } = await runEvals(project, [], { AGENT_EVALS_RUNS: '1' })
    for (const note of notes) expect(all).toContain(`agent-evals: ${note}`)
  })

  test('go by the option `evals`', async () => {
    await using project = await createProject(major, {
      ...SKILLS,
      'vitest.config.ts': config("{ evals: 'more/notes', triggerThreshold: 1 }"),
      'skills/notes/evals/triggers.json': QUERY('usual'),
      'more/notes/triggers.json': QUERY('named'),
    })
    const named = await project.agentEvals(['list'])
    expect(named.stdout).toMatch(/Query named\./)
    expect(named.stdout).not.toMatch(/Query usual\./)
    expect((await project.agentEvals(['list', '--evals', 'skills/notes/evals'])).stdout).toMatch(/Query usual\./)
    expect((await project.agentEvals(['list', '--mode', 'artifact', '--json'])).stdout).toMatch(/"cases": \[\]/)
    expect((await project.agentEvals(['lint', '--json'])).stdout).toMatch(/"cases": 1/)
    const run = await project.agentEvals(['run', 'usual'], { merged: true })
    expect([run.exitCode, run.all]).toEqual([2, expect.stringContaining('usual')])
  })

  test('say where they looked when there is nothing', async () => {
    await using empty = await createProject(major, { 'skills/notes/SKILL.md': skill('notes', 'Writes notes.') })
    const nothing = await empty.agentEvals(['list'])
    expect([nothing.exitCode, nothing.stdout]).toEqual([2, expect.stringMatching(/^No evals found: .+ init\.$/)])
    expect((await empty.agentEvals(['list', '--verbose'])).stdout).toContain('note: no evals in skills/notes/evals')
    const lint = await empty.agentEvals(['lint'], { merged: true })
    expect([lint.exitCode, lint.all]).toEqual([2, expect.stringMatching(/^.*No evals found: .+ init\.$/)])
    expect((await empty.agentEvals(['lint', '--verbose'], { merged: true })).all).toContain(
      '\nno evals in skills/notes',
    )
  })

  test('warn about overlays that are not there', async () => {
    const EVALS = JSON.stringify([
      { id: 'A1', prompt: 'Look.', expectations: ['It looked.'] },
      { id: 'pricing', prompt: 'Look.', expectations: ['It looked.'] },
    ])
    await using project = await createProject(major, {
      ...SKILLS,
      'skills/notes/evals/evals.json': EVALS,
      'skills/notes/evals/A1/config.yaml': 'a: 1',
      'skills/notes/evals/pricings/setup/config.yaml': 'a: 1',
    })
    const { stdout } = await project.agentEvals(['lint', '--json'])
    const { issues } = JSON.parse(stdout) as { issues: { file: string; code: string; message: string }[] }
    expect(
      issues.filter(({ code }) => code.endsWith('-overlay')).map(({ file, message }) => `${file} ${message}`),
    ).toEqual([
      'skills/notes/evals/evals.json A1/ has no setup/, so it adds no files to the workspace of A1',
      'skills/notes/evals/evals.json pricings/setup matches no eval; the nearest id is pricing',
    ])
  })
})
