// @module-tag claude-code
// @module-tag slow
import { expect, test } from 'vitest'
import { bash, createPackage, describeEvals, runEvals } from '../support/package-run.ts'
import { verdicts } from '../support/eval-project.ts'

const WRITES = { tools: [bash('printf "old pond" > haiku.txt')] }
const CHANGES = { tools: [bash('printf "deep sea" > haiku.txt')] }
const verdict = (quote: string): object => ({ verdict: 'pass', reason: 'It says so.', quote })

const HAIKU = `name: haiku
turns:
  - prompt: Write a haiku into haiku.txt.
    expected:
      contains: [Written]
      file-contains: { path: haiku.txt, text: pond }
      files-created: [haiku.txt]
    judge:
      criteria: It says that it has written a haiku.
  - prompt: Make it about the sea.
    expected:
      contains: [sea]
      not-contains: [Written]
      file-contains: { path: haiku.txt, text: sea }
expected:
  file-contains: { path: haiku.txt, text: sea }
judge:
  criteria: The haiku is about the sea at the end.
`

describeEvals('several turns', () => {
  test('are one conversation, each with its own expectations', async () => {
    await using project = await createPackage({ cases: {},
      files: {
        'evals/cases/haiku.yaml': HAIKU,
        'evals/scenarios/haiku.yaml': JSON.stringify({
          turns: [WRITES, 'Written.', CHANGES, 'It is about the sea.'],
          judge: [[verdict('Written.')], [verdict('It is about the sea.')]],
        }),
        'evals/cases/fails.yaml': HAIKU.replace('name: haiku', 'name: fails').replace('contains: [sea]', 'contains: [ocean]'),
        'evals/scenarios/fails.yaml': JSON.stringify({
          turns: [WRITES, 'Written.', CHANGES, 'It is about the sea.'],
          judge: [[verdict('Written.')]],
        }),
      },
    })
    const run = await runEvals(project, { AGENT_EVALS_SOURCE: 'record' })
    expect(verdicts(run.report)).toEqual(['fails FAIL', 'haiku PASS'])
    console.log(JSON.stringify(run.report.cases, null, 1).slice(0, 9000))
  })
})
