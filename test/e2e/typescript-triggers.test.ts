// @module-tag claude-code
// @module-tag slow
import { expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { refusing, saying, verdicts } from '../support/eval-project.ts'
import { describeEvals } from '../support/package-run.ts'
import { caseOf, doing, runEvals, skill, SKILLS, use } from '../support/skill-project.ts'

const FILE = `import { expect, test } from 'vitest-agent-evals/test'

test('fires', async ({ agent }) => {
  const trigger = await agent.trigger('Write the notes of this release.', { skill: 'notes', runs: 3 })
  expect(trigger).toHaveFired()
  expect(trigger).not.toHaveFiredAtLeast(0.9)
  expect(trigger).toHaveFiredAtLeast(0.6)
  expect([trigger.completed, trigger.fired, trigger.errors, trigger.runs.length]).toEqual([3, 2, 0, 3])
})
test('sibling', async ({ agent }) => {
  const trigger = await agent.trigger('Write to the bank.', { skill: 'notes', runs: 1 })
  expect(trigger).not.toHaveFired()
  expect(trigger.firedInstead).toEqual([{ skill: 'letters', runs: 1 }])
})
test('misses', async ({ agent }) => {
  expect(await agent.trigger('Write the notes.', { skill: 'notes', runs: 1 })).toHaveFired()
})
test('broken', async ({ agent }) => {
  expect(await agent.trigger('Write the notes.', { skill: 'notes', runs: 1 })).not.toHaveFired()
})
test('partly', async ({ agent }) => {
  const trigger = await agent.trigger('Write the notes.', { skill: 'notes', runs: 2 })
  expect(trigger).toHaveFired()
  expect(trigger.errors).toBe(1)
})
test('unknown', async ({ agent }) => {
  await agent.trigger('Write the notes.', { skill: 'note' })
})
test('alias', async ({ agent }) => {
  expect(await agent.trigger('Sum it up.', { skill: 'summing-up', runs: 1 })).toHaveFired()
})
`

describeEvals('triggers in TypeScript', () => {
  test('count the runs that used the skill, and are recorded and reported', async () => {
    await using project = await createProject(repositoryVitest(), {
      ...SKILLS,
      'skills/sums/SKILL.md': skill('summing-up', 'Sums up texts. Use it for summaries.'),
      'evals/reach.eval.ts': FILE,
      'evals/scenarios/fires.yaml': doing([use('notes')]),
      'evals/scenarios/fires.2.yaml': saying('I would rather not.'),
      'evals/scenarios/sibling.yaml': doing([use('letters')]),
      'evals/scenarios/misses.yaml': saying('Here they are.'),
      'evals/scenarios/broken.yaml': refusing(400),
      'evals/scenarios/partly.yaml': doing([use('notes')]),
      'evals/scenarios/partly.2.yaml': refusing(400),
      'evals/scenarios/alias.yaml': doing([use('sums')]),
    })
    const { report, all } = await runEvals(project)
    expect(verdicts(report), all).toEqual([
      'fires PASS',
      'sibling PASS',
      'misses FAIL',
      'broken ERROR upstream-failed',
      'partly PASS',
      'unknown ERROR invalid-options',
      'alias PASS',
    ])
    expect(caseOf(report, 'fires').trigger).toMatchObject({ should_trigger: true, fired: 2, runs: 3, threshold: 0.6 })
    expect(caseOf(report, 'fires').runs.map((run) => run.decided_by)).toEqual(['probe', 'probe', 'probe'])
    expect(caseOf(report, 'fires').deterministic_checks).toMatchInlineSnapshot(`
      {
        "not_to_have_fired_at_least": "PASS",
        "to_have_fired": "PASS",
        "to_have_fired_at_least": "PASS",
      }
    `)
    expect(caseOf(report, 'sibling').trigger).toMatchObject({ should_trigger: false, fired: 0 })
    expect(caseOf(report, 'partly').notices).toContain('1 of 2 runs could not be completed; it is not in the rate.')
    expect(all).toContain('has no skill "note". Did you mean "notes"?')
    expect(all).toContain('expected notes to be used in at least 50% of the runs, but it was in 0 of 1')

    await project.files.rm('evals/reports')
    await runEvals(project, ['-t', 'fires|alias'], { AGENT_EVALS_SOURCE: 'record' })
    await project.files.rm('evals/reports')
    await project.files.rm('evals/scenarios')
    const again = await runEvals(project, ['-t', 'fires|alias'], { AGENT_EVALS_SOURCE: 'replay' })
    expect(verdicts(again.report), again.all).toEqual(['fires PASS', 'alias PASS'])
    expect(again.report.cases.map(({ source }) => source)).toEqual(['replay', 'replay'])
  })
})
