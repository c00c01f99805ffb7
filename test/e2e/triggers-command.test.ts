// @module-tag claude-code
// @module-tag slow
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { saying } from '../support/eval-project.ts'
import { describeEvals } from '../support/package-run.ts'
import { call, calls, startScriptedModel, words } from '../support/scripted-model.ts'
import { doing, skill, SKILLS, use } from '../support/skill-project.ts'

const queries = (about: string, query: string, other: string): string =>
  JSON.stringify([
    { id: `${about}-yes`, query, should_trigger: true },
    { id: `${about}-no`, query: other, should_trigger: false },
  ])

describeEvals('agent-evals triggers', () => {
  test('asks every query beside all skills, and tries another description', async () => {
    await using project = await createProject(repositoryVitest(), {
      ...SKILLS,
      'skills/notes/evals/triggers.json': queries('notes', 'Write the notes of this release.', 'Write to the bank.'),
      'plugins/post/skills/stamps/SKILL.md': skill('stamps', 'Sticks stamps. Use it for the post.'),
      'plugins/post/skills/stamps/evals/triggers.json': queries('stamps', 'Post this.', 'Sing.'),
      'evals/scenarios/notes-yes.yaml': doing([use('stamps')]),
      'evals/scenarios/notes-no.yaml': doing([use('letters')]),
      'plugins/post/evals/scenarios/stamps-yes.yaml': doing([use('stamps')]),
      'plugins/post/evals/scenarios/stamps-no.yaml': saying('La la la la la.'),
    })
    const asked = await project.agentEvals(['triggers', '--runs', '1'], { merged: true })
    expect(asked.all).toContain('3 skills, installed together: letters, notes, stamps')
    // Nobody but the author of the scenarios decided which skill is used.
    expect(asked.all).not.toContain('queries for')
    expect(asked.all).not.toContain('was used instead of')
    const scripted = '4 of 4 queries had scripted answers, which measure no description. Ask a model with --live.'
    expect(asked.all).toContain(scripted)
    expect(asked.exitCode).toBe(1)

    const args = ['triggers', '--runs', '1', '--target', 'skill:notes', '--description', 'Writes "all" notes: always.']
    const tried = await project.agentEvals(args, { merged: true })
    expect(tried.all).not.toContain('queries for')
    expect(tried.all).toContain('2 of 2 queries had scripted answers')
    const file = await readFile(join(project.root, 'skills/notes/SKILL.md'), 'utf8')
    expect(file).toContain('description: Writes release notes.')

    const unclear = await project.agentEvals(['triggers', '--description', 'x'], { merged: true })
    expect([unclear.exitCode, unclear.all]).toMatchInlineSnapshot(`
      [
        2,
        "agent-evals triggers: Name the skill whose description it is: --target skill:NAME with one of letters, notes, stamps.",
      ]
    `)
    const misspelt = await project.agentEvals(['triggers', '--descriptoin', 'x'], { merged: true })
    expect([misspelt.exitCode, misspelt.all]).toEqual([
      2,
      'agent-evals triggers: --descriptoin is not known. Did you mean "description"?',
    ])
    await using bare = await createProject(repositoryVitest(), SKILLS)
    const none = await bare.agentEvals(['triggers'], { merged: true })
    expect([none.exitCode, none.all]).toEqual([2, expect.stringMatching(/^agent-evals triggers: No evals found: .*$/)])
    const recording = await project.agentEvals(['triggers', '--record'], { merged: true })
    expect([recording.exitCode, recording.all]).toMatchInlineSnapshot(`
      [
        2,
        "agent-evals triggers: triggers neither writes nor plays recordings. Use npx vitest-agent-evals run --mode trigger for these.",
      ]
    `)
  })

  test('shows what another description makes of the rates', async () => {
    const description = 'Writes every kind of notes.'
    await using model = await startScriptedModel({
      // It goes by the descriptions that it is offered.
      scriptOf: (_prompts, messages) => () =>
        messages.includes(description) ? calls(call('use', 'Skill', { skill: 'notes' })) : words('No.'),
    })
    await using project = await createProject(repositoryVitest(), {
      ...SKILLS,
      'description.txt': `${description}\n`,
      'skills/notes/evals/triggers.json': JSON.stringify([{ query: 'Write the notes.', should_trigger: true }]),
    })
    const env = { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'sk-ant-api03-scripted' }
    const file = join(project.root, 'description.txt')
    const args = ['triggers', '--runs', '2', '--target', 'skill:notes', '--description-file', file]
    const tried = await project.agentEvals([...args, '--max-cost-usd', '1000'], { merged: true, env })
    expect(table(tried.all), tried.all).toMatchInlineSnapshot(`
      "
      queries for  as it is                with the other description
      notes (1)    0%, 0 of 2 (0% to 66%)  100%, 2 of 2 (34% to 100%)"
    `)
    expect(tried.exitCode).toBe(0)
    expect(await readFile(join(project.root, 'skills/notes/SKILL.md'), 'utf8')).not.toContain(description)
  })
})

function table(all: string): string {
  const lines = all.split('\n')
  const start = lines.findIndex((line) => line.startsWith('queries for'))
  return `\n${lines.slice(start, lines.indexOf('', start) + 1 || undefined).join('\n')}`
}
