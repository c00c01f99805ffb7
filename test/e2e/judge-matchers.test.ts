// @module-tag no-engine
import { describe, expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { SHELL_PACKAGE, shellCases } from '../support/shell-engine.ts'

const major = repositoryVitest()

const HEAD = "import { expect, test } from 'vitest-agent-evals/test'\n"
const RUN = "const run = await agent.run('echo Hello, World')"

const PASS = { verdict: 'pass', reason: 'It greets.', quote: 'Hello, World' }
const FAIL = { verdict: 'fail', reason: 'There is none.', quote: 'No file was created, modified or deleted.' }
const INVENTED = { verdict: 'pass', reason: 'It is warm.', quote: 'Good morning' }

/** Tests by name: body, and the judge's answers. */
const TESTS: Readonly<Record<string, readonly [body: string, judge: readonly unknown[]]>> = {
  passes: ["await expect(run).toPassJudge('It greets.')", [[PASS]]],
  fails: ["await expect(run).toPassJudge('It greets. It writes a file.')", [[PASS, FAIL]]],
  'not-passes': ["await expect(run).not.toPassJudge('It writes a file.')", [[FAIL]]],
  'not-fails': ["await expect(run).not.toPassJudge('It greets.')", [[PASS]]],
  errs: ["await expect(run).toPassJudge('It is warm.')", [[INVENTED]]],
  'not-errs': ["await expect(run).not.toPassJudge('It is warm.')", [[INVENTED]]],
  'unawaited-pass': ["expect(run).toPassJudge('It greets.')", [[PASS]]],
  'unawaited-fail': ["expect(run).toPassJudge('It greets.')", [[FAIL]]],
  'unawaited-error': ["expect(run).not.toPassJudge('It greets.')", [[INVENTED]]],
  'two-judges': [
    "await expect(run).toPassJudge('It greets.')\n  await expect(run).not.toMeetExpectations(['It writes a file.'])",
    [[PASS], [FAIL]],
  ],
  expectations: ["await expect(run).toMeetExpectations(['It greets.', 'It is short. And kind. '])", [[PASS, PASS]]],
  votes: ["await expect(run).toPassJudge('It greets.', { votes: 3 })", [[PASS], [FAIL], [PASS]]],
  'no-criteria': ["await expect(run).toPassJudge(' ')", [[PASS]]],
  'no-expectations': ['await expect(run).toMeetExpectations([])', [[PASS]]],
  'a-copy': ["await expect({ ...run }).toPassJudge('It greets.')", [[PASS]]],
  'ten-votes': ["await expect(run).toPassJudge('It greets.', { votes: 10 })", [[PASS]]],
  soft: ["await own.soft(run).toPassJudge('It writes a file.')", [[FAIL]]],
}

describe('the judge matchers', () => {
  test('pass, fail or throw, and fail the test that does not await them', async () => {
    const bodies = Object.entries(TESTS).map(
      ([name, [body]]) => `test('${name}', async ({ agent, expect: own }) => {\n  ${RUN}\n  ${body}\n})\n`,
    )
    const scenarios = Object.entries(TESTS).map(([name, [, judge]]) => [
      `evals/scenarios/${name}.yaml`,
      JSON.stringify({ turns: ['Hello, World'], ...(judge.length === 0 ? {} : { judge }) }),
    ])
    await using project = await createProject(major, {
      ...SHELL_PACKAGE,
      ...shellCases({}),
      'evals/hand.eval.ts': HEAD + bodies.join(''),
      ...Object.fromEntries(scenarios),
    })
    await project.run(['run', '--project', 'evals', '--reporter', 'json', '--outputFile', 'results.json'])
    const json = await project.files.readFile('results.json', 'utf8')
    // Errors are of the line of the test, with the run and the command for it, as in data files.
    expect(json).not.toContain('vitest-agent-evals/dist')
    expect(json).toMatch(
      /could not be scored(?:(?!"title").)*last message:(?:(?!"title").)*run again:(?:(?!"title").)*hand\.eval\.ts:\d+:\d+/,
    )
    expect(readResults(json)).toMatchInlineSnapshot(`
      [
        "passes passed",
        "fails failed: Error: expected the run to meet 2 statements

      judge (scenario): "It writes a file." does not hold: There is none.
        ✓ It greets.
          It greets.
          output: "Hello, World"
        × It writes a file.
          There is none.
          transcript: "No file was created, modified or deleted."",
        "not-passes passed",
        "not-fails failed: Error: expected the run not to meet "It greets."

      judge (scenario): It greets.
        ✓ It greets.
          It greets.
          output: "Hello, World"",
        "errs failed: AgentEvalsError: judge (scenario): "It is warm." could not be scored: The judge's "pass" does not count, because the quote is not in the item it names, or omits too much: "Good morning". Its reason was: It is warm.
        ? It is warm.
          The judge's "pass" does not count, because the quote is not in the item it names, or omits too much: "Good morning". Its reason was: It is warm.",
        "not-errs failed: AgentEvalsError: judge (scenario): "It is warm." could not be scored: The judge's "pass" does not count, because the quote is not in the item it names, or omits too much: "Good morning". Its reason was: It is warm.
        ? It is warm.
          The judge's "pass" does not count, because the quote is not in the item it names, or omits too much: "Good morning". Its reason was: It is warm.",
        "unawaited-pass failed: AgentEvalsError: toPassJudge() was not awaited: write \`await expect(run).toPassJudge(...)\`.",
        "unawaited-fail failed: AgentEvalsError: toPassJudge() was not awaited: write \`await expect(run).toPassJudge(...)\`.",
        "unawaited-error failed: AgentEvalsError: toPassJudge() was not awaited: write \`await expect(run).toPassJudge(...)\`.",
        "two-judges passed",
        "expectations passed",
        "votes passed",
        "no-criteria failed: AgentEvalsError: The argument \`criteria\` of toPassJudge() is " ": must not be empty.",
        "no-expectations failed: AgentEvalsError: The argument \`expectations\` of toMeetExpectations() is []: must not be empty.",
        "a-copy failed: AgentEvalsError: toPassJudge() needs the run that \`await agent.run(...)\` returned, not a copy.",
        "ten-votes failed: AgentEvalsError: The argument \`options.votes\` of toPassJudge() is 10: must be at most 9.",
        "soft failed: Error: expected the run to meet "It writes a file."

      judge (scenario): "It writes a file." does not hold: There is none.
        × It writes a file.
          There is none.
          transcript: "No file was created, modified or deleted."",
      ]
    `)
  })
})

function readResults(text: string): readonly string[] {
  const json = JSON.parse(text) as {
    testResults: { assertionResults: { title: string; status: string; failureMessages: string[] }[] }[]
  }
  return json.testResults.flatMap(({ assertionResults }) =>
    assertionResults.map(({ title, status, failureMessages: [message = ''] }) =>
      [`${title} ${status}`, ...message.split(/\n\s+at |\n\nlast message:/).slice(0, 1)]
        .filter((part) => part !== '')
        .join(': '),
    ),
  )
}
