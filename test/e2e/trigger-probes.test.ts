// @module-tag claude-code
import { describe, expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { verdicts } from './eval-project.ts'
import { bash, caseOf, doing, runEvals, SKILLS, transcriptOf, use } from './skill-project.ts'

const major = repositoryVitest()

describe('the first model turn', () => {
  test('decides the runs of queries, and a session goes on from it where it does not', async () => {
    const queries = { fires: true, talks: false, looks: true, other: false }
    await using project = await createProject(major, {
      ...SKILLS,
      'skills/notes/evals/triggers.json': JSON.stringify(
        Object.entries(queries).map(([id, should]) => ({ id, query: `Please do: ${id}`, should_trigger: should })),
      ),
      'evals/scenarios/fires.yaml': doing([use('notes')]),
      'evals/scenarios/talks.yaml': doing([]),
      'evals/scenarios/looks.yaml': doing([bash('ls .claude/skills'), use('notes')]),
      'evals/scenarios/other.yaml': doing([use('letters')]),
    })
    const { report, all } = await runEvals(project)
    expect(verdicts(report).toSorted(), all).toEqual([
      'Please do: fires PASS',
      'Please do: looks PASS',
      'Please do: other PASS',
      'Please do: talks PASS',
    ])
    const decided = (name: string): unknown =>
      caseOf(report, name).runs.map((run) => [run.decided_by, run.decided_because])
    expect(decided('Please do: fires'), all).toEqual(Array.from({ length: 3 }, () => ['probe', null]))
    expect(decided('Please do: talks')).toEqual(Array.from({ length: 3 }, () => ['probe', null]))
    const looked = ['probe+full', 'the model first called Bash']
    expect(decided('Please do: looks')).toEqual([looked, looked, looked])
    const another = ['probe+full', 'the model first called another skill, letters']
    expect(decided('Please do: other')).toEqual([another, another, another])
    expect(caseOf(report, 'Please do: looks').runs.map(({ requests }) => requests)).toEqual([2, 2, 2])
    expect(await transcriptOf(project, caseOf(report, 'Please do: fires'))).toContain('"skill":"notes"')
  })
})
