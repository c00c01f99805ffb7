// @module-tag claude-code
import { beforeAll, expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { verdicts } from '../support/eval-project.ts'
import { bash, caseOf, doing, runEvals, SKILLS, use } from '../support/skill-project.ts'

const entry = (id: string, more: object): object => ({
  id,
  prompt: 'Write the notes.',
  files: ['docs/plan.md'],
  expected_skill: 'notes',
  expectations: ['docs/plan.md exists', 'notes.md exists'],
  ...more,
})
const LINE = { id: 'line', skills: ['notes'], prompt: 'Write the notes.', artifacts: ['notes.md'] }
const WRITES = bash('echo a > notes.md')

let run: Awaited<ReturnType<typeof runEvals>>

beforeAll(async () => {
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
    'skills/notes/evals/cases.yaml':
      'cases:\n  - id: block\n    prompt: |-\n      Write the notes.\n    artifacts: [notes.md]\n',
    'skills/notes/evals/lines.jsonl': `${JSON.stringify(LINE)}\n\n${JSON.stringify({ ...LINE, id: 'idle' })}\n`,
    'evals/scenarios/keeps.yaml': doing([use('notes'), WRITES]),
    'evals/scenarios/destroys.yaml': doing([use('notes'), bash('echo a > notes.md; rm -rf docs')]),
    'evals/scenarios/unused.yaml': doing([WRITES]),
    'evals/scenarios/avoids.yaml': doing([use('notes'), WRITES]),
    'evals/scenarios/accepts.yaml': doing([use('notes'), WRITES]),
    'evals/scenarios/block.yaml': doing([WRITES]),
    'evals/scenarios/line.yaml': doing([WRITES]),
    'evals/scenarios/idle.yaml': doing([bash('echo a')]),
  })
  run = await runEvals(project)
})

/** Name and verdict of each case of the suites with this ending. */
function verdictsOf(ending: string): readonly string[] {
  const cases = run.report.cases.filter(({ suite }) => suite?.endsWith(ending))
  return verdicts({ ...run.report, cases }).map((line) => line.split(' ').slice(0, 2).join(' '))
}

test('a skill that is used does not excuse what the run destroys, and work without it does not replace it', () => {
  expect(run.exitCode).toBe(1)
  expect(verdictsOf('evals.json'), run.all).toEqual([
    'accepts PASS',
    'avoids FAIL',
    'destroys FAIL',
    'keeps PASS',
    'unused FAIL',
  ])
  const destroyed = caseOf(run.report, 'destroys').expectations?.filter(({ result }) => result === 'FAIL')
  expect(destroyed?.map(({ text }) => text)).toEqual(['docs/plan.md exists'])
  expect(run.report.cases.every(({ trigger, runs }) => trigger === null && runs.length === 1)).toBe(true)
})

test('suites in YAML and with an entry on each line run as those in JSON do', () => {
  expect(verdictsOf('skills/notes/evals/cases.yaml'), run.all).toEqual(['block PASS'])
  expect(verdictsOf('skills/notes/evals/lines.jsonl'), run.all).toEqual(['line PASS', 'idle FAIL'])
})
