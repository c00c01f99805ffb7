// @module-tag claude-code
import { expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { verdicts } from '../support/eval-project.ts'
import { bash, caseOf, doing, runEvals, SKILLS, use } from '../support/skill-project.ts'

test('a skill that is used does not excuse what the run destroys, and work without it does not replace it', async () => {
  const entry = (id: string, more: object): object => ({
    id,
    prompt: 'Write the notes.',
    files: ['docs/plan.md'],
    expected_skill: 'notes',
    expectations: ['docs/plan.md exists', 'notes.md exists'],
    ...more,
  })
  await using project = await createProject(repositoryVitest(), {
    ...SKILLS,
    'skills/notes/evals/evals.json': JSON.stringify([
      entry('keeps', {}),
      entry('destroys', {}),
      entry('unused', {}),
      entry('avoids', { should_trigger: false }),
      entry('accepts', { expected_skill: 'letters', acceptable_skills: ['notes'] }),
    ]),
    'skills/notes/evals/docs/plan.md': 'plan\n',
    'evals/scenarios/keeps.yaml': doing([use('notes'), bash('echo a > notes.md')]),
    'evals/scenarios/destroys.yaml': doing([use('notes'), bash('echo a > notes.md; rm -rf docs')]),
    'evals/scenarios/unused.yaml': doing([bash('echo a > notes.md')]),
    'evals/scenarios/avoids.yaml': doing([use('notes'), bash('echo a > notes.md')]),
    'evals/scenarios/accepts.yaml': doing([use('notes'), bash('echo a > notes.md')]),
  })
  const { report, all, exitCode } = await runEvals(project)
  expect(exitCode).toBe(1)
  const failed = verdicts(report).map((line) => line.split(' ').slice(0, 2).join(' '))
  expect(failed, all).toEqual(['accepts PASS', 'avoids FAIL', 'destroys FAIL', 'keeps PASS', 'unused FAIL'])
  const destroyed = caseOf(report, 'destroys').expectations?.filter(({ result }) => result === 'FAIL')
  expect(destroyed?.map(({ text }) => text)).toEqual(['docs/plan.md exists'])
  expect(report.cases.every(({ trigger, runs }) => trigger === null && runs.length === 1)).toBe(true)
})

test('suites in YAML and with an entry on each line run as those in JSON do', async () => {
  const line = { id: 'line', skills: ['notes'], prompt: 'Write the notes.', artifacts: ['notes.md'] }
  await using project = await createProject(repositoryVitest(), {
    ...SKILLS,
    'skills/notes/evals/cases.yaml':
      'cases:\n  - id: block\n    prompt: |-\n      Write the notes.\n    artifacts: [notes.md]\n',
    'skills/notes/evals/lines.jsonl': `${JSON.stringify(line)}\n\n${JSON.stringify({ ...line, id: 'idle' })}\n`,
    'evals/scenarios/block.yaml': doing([bash('echo a > notes.md')]),
    'evals/scenarios/line.yaml': doing([bash('echo a > notes.md')]),
    'evals/scenarios/idle.yaml': doing([bash('echo a')]),
  })
  const { report, all } = await runEvals(project)
  const found = verdicts(report).map((one) => one.split(' ').slice(0, 2).join(' '))
  expect(found.toSorted(), all).toEqual(['block PASS', 'idle FAIL', 'line PASS'])
  const suites = report.cases.map(({ suite }) => suite)
  expect(suites.toSorted()).toEqual([
    'skills/notes/evals/cases.yaml',
    'skills/notes/evals/lines.jsonl',
    'skills/notes/evals/lines.jsonl',
  ])
})
