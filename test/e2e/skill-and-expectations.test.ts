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
  expectations: [{ 'file-contains': { path: 'docs/plan.md', text: 'plan' } }, 'file-exists:notes.md'],
  ...more,
})
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
    ]),
    'skills/notes/evals/docs/plan.md': 'plan\n',
    'skills/notes/evals/cases.yaml':
      'cases:\n  - id: block\n    prompt: |-\n      Write the notes.\n    artifacts: [notes.md]\n',
    'evals/scenarios/keeps.yaml': doing([use('notes'), WRITES]),
    'evals/scenarios/destroys.yaml': doing([use('notes'), bash('echo a > notes.md; rm -rf docs')]),
    'evals/scenarios/unused.yaml': doing([WRITES]),
    'evals/scenarios/avoids.yaml': doing([use('notes'), WRITES]),
    'evals/scenarios/block.yaml': doing([WRITES]),
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
  expect(verdictsOf('evals.json'), run.all).toEqual(['avoids FAIL', 'destroys FAIL', 'keeps PASS', 'unused FAIL'])
  const destroyed = caseOf(run.report, 'destroys').checks?.filter(({ result }) => result === 'FAIL')
  expect(destroyed?.map(({ value }) => value)).toEqual(['"plan" in docs/plan.md'])
  expect(run.report.cases.every(({ trigger, runs }) => trigger === null && runs.length === 1)).toBe(true)
})

test('a suite in YAML runs as one in JSON does', () => {
  expect(verdictsOf('skills/notes/evals/cases.yaml'), run.all).toEqual(['block PASS'])
})
