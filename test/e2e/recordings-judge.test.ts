// @module-tag claude-code
import { expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { caseOf, PARTS, recordingOf, runCases, states, withEdits } from '../support/recordings-project.ts'

const major = repositoryVitest()

const CRITERIA = { file: 'evals/cases/plain.yaml', from: 'The answer is polite.', to: 'The answer is friendly.' }

test('a changed criterion asks the judge again, and nobody else', { tags: ['claude-code', 'slow'] }, async () => {
  await using project = await createProject(major, { ...PARTS, ...caseOf('plain', 'Say hello.', ['Hello!'], 'Hello') })
  const only = { args: ['plain'] }
  expect(states(await runCases(project, 'record', only))).toEqual(['plain passed'])
  const recorded = await recordingOf(project, 'plain')

  await withEdits(project, [CRITERIA], async () => {
    const replayed = await runCases(project, 'replay', only)
    expect(states(replayed)).toEqual(['plain errored missing-answers'])
    expect(replayed.get('plain')).toMatchObject({ source: 'replay', judge_verdict: { result: 'ERROR' } })

    const judged = await runCases(project, 'auto', only)
    expect(states(judged)).toEqual(['plain passed'])
    expect(judged.get('plain')).toMatchObject({ source: 'replay', judge_verdict: { result: 'PASS' } })
  })

  const { judge, ...run } = await recordingOf(project, 'plain')
  const { judge: before, ...runBefore } = recorded
  expect(run).toEqual(runBefore)
  expect(judge).not.toEqual(before)
})
