// @module-tag claude-code
import { cp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { caseSlug } from '../../src/case/plan/plan-case.ts'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { REPOSITORY } from '../support/repository.ts'
import { config, verdicts } from '../support/eval-project.ts'
import { bash, doing, runEvals, use } from '../support/skill-project.ts'

interface Query {
  readonly query: string
  readonly should_trigger: boolean
}

test('the skill `eval` that ships has evals of its own, which its scenarios pass', async () => {
  const skill = join(REPOSITORY, 'skills/eval')
  const queries = JSON.parse(await readFile(join(skill, 'evals/triggers.json'), 'utf8')) as readonly Query[]
  const ofQuery = ({ query, should_trigger: should }: Query): [string, string] => {
    const trigger = { skill: null, shouldTrigger: should, runs: 1, threshold: null }
    return [`answers/${caseSlug({ id: 't-', prompt: query, trigger })}.yaml`, doing(should ? [use('eval')] : [])]
  }
  await using project = await createProject(repositoryVitest(), {
    'vitest.config.ts': config("{ sandbox: 'prefer', scenarios: './answers' }"),
    'answers/asks-scope-and-cost-first.yaml': doing([use('eval'), bash('ls clerk/evals/golden')], 2),
    'answers/never-edits-the-rubric.yaml': doing([use('eval'), bash('head -8 clerk/evals/rubric.md')], 2),
    ...Object.fromEntries(queries.map(ofQuery)),
  })
  await cp(skill, join(project.root, 'skills/eval'), { recursive: true })
  const { all, report } = await runEvals(project, [], { AGENT_EVALS_RUNS: '1' })
  expect(verdicts(report), all).toEqual([
    'asks-scope-and-cost-first PASS',
    'never-edits-the-rubric PASS',
    ...queries.map(({ query }) => `${query} PASS`),
  ])
})
