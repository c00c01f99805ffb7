// @module-tag claude-code
import { expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { config, PACKAGE } from '../support/eval-project.ts'

const stable = repositoryVitest()

const RUBRIC = `---
weights: { warmth: 60, brevity: 40 }
threshold_pass: 4.0
---
## Hard fails
- **HF1** — Insults.
`

/** Tests by name: what is expected of the run, and the judge's answers. */
const TESTS: Readonly<Record<string, readonly [body: string, judge: readonly object[]]>> = {
  passes: ["await expect(run).toScoreAtLeast('rubric.md')", [{ scores: { warmth: 4, brevity: 5 } }]],
  'too-low': ["await expect(run).toScoreAtLeast('rubric.md', { min: 4.5 })", [{ scores: { warmth: 4, brevity: 5 } }]],
  'hard-fail': [
    "await expect(run).toScoreAtLeast('rubric.md')",
    [{ scores: { warmth: 5, brevity: 5 }, hard_fails: ['HF1'], justification: 'It insults.' }],
  ],
  'not-errs': ["await expect(run).not.toScoreAtLeast('rubric.md')", [{ text: 'Fine.' }, { text: 'Fine.' }]],
  unawaited: ["expect(run).toScoreAtLeast('rubric.md')", [{ scores: { warmth: 5, brevity: 5 } }]],
  'no-rubric': ["await expect(run).toScoreAtLeast('other.md')", [{ scores: { warmth: 5, brevity: 5 } }]],
}

/** The folder of a run, named by the time it started. */
const RUN = /\d{4}-\d\d-\d\dT[\w-]+/

test('toScoreAtLeast passes, fails or throws, on a run of the engine messages', async () => {
  if (stable === undefined) throw new Error('There is no Vitest.')
  const bodies = Object.entries(TESTS).map(
    ([name, [body]]) =>
      `test('${name}', async ({ agent }) => {\n  const run = await agent.run('Say hello.')\n  ${body}\n})\n`,
  )
  const scenarios = Object.entries(TESTS).map(([name, [, judge]]) => {
    return [`evals/scenarios/${name}.yaml`, JSON.stringify({ turns: ['Hello, World'], judge })]
  })
  await using project = await createProject(stable, {
    ...PACKAGE,
    'vitest.config.ts': config("{ engine: 'messages', model: 'claude-opus-4-7', judge: 'gpt-5' }"),
    'evals/hand.eval.ts': `import { expect, test } from 'vitest-agent-evals/test'\n${bodies.join('')}`,
    'evals/rubric.md': RUBRIC,
    ...Object.fromEntries(scenarios),
  })
  await project.run(['run', '--project', 'evals', '--reporter', 'json', '--outputFile', 'results.json'])
  const { testResults } = JSON.parse(await project.files.readFile('results.json', 'utf8')) as {
    testResults: { assertionResults: { title: string; status: string; failureMessages: string[] }[] }[]
  }
  const messages = testResults.flatMap(({ assertionResults }) =>
    assertionResults.map(({ title, status, failureMessages }) => {
      const message = (failureMessages[0] ?? '').split('\n    at ')[0] ?? ''
      return `${title} ${status}${message === '' ? '' : `: ${message.replaceAll(project.root, '<root>').replace(RUN, '<run>')}`}`
    }),
  )
  expect(messages).toMatchInlineSnapshot(`
    [
      "passes passed",
      "too-low failed: Error: expected the run to score at least 4.50 by <root>/evals/rubric.md

    judge (scenario): The score 4.40 is below 4.50: By the scenario.

    last message:
      | Hello, World

    transcript:
      | .vitest/agent-evals/<run>/cases/hand.eval/too-low/messages.1/transcript.jsonl

    run again:
      | npx vitest run --project evals evals/hand.eval.ts:6",
      "hard-fail failed: Error: expected the run to score at least 4.00 by <root>/evals/rubric.md

    judge (scenario): Hard fail HF1 (score 5.00, which does not count): It insults.

    last message:
      | Hello, World

    transcript:
      | .vitest/agent-evals/<run>/cases/hand.eval/hard-fail/messages.1/transcript.jsonl

    run again:
      | npx vitest run --project evals evals/hand.eval.ts:10",
      "not-errs failed: AgentEvalsError: judge (scenario): The judge gave no usable answer twice: first the answer is not JSON; then the answer is not JSON.

    last message:
      | Hello, World

    transcript:
      | .vitest/agent-evals/<run>/cases/hand.eval/not-errs/messages.1/transcript.jsonl

    run again:
      | npx vitest run --project evals evals/hand.eval.ts:14",
      "unawaited failed: AgentEvalsError: toScoreAtLeast() was not awaited: write \`await expect(run).toScoreAtLeast(...)\`.

    last message:
      | Hello, World

    transcript:
      | .vitest/agent-evals/<run>/cases/hand.eval/unawaited/messages.1/transcript.jsonl

    run again:
      | npx vitest run --project evals evals/hand.eval.ts:18",
      "no-rubric failed: AgentEvalsError: toScoreAtLeast() cannot read <root>/evals/other.md. Correct the path.",
    ]
  `)
})
