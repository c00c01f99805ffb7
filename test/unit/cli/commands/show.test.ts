import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { formatShown } from '../../../../src/cli/output/format-shown.ts'
import { readReportFile } from '../../../../src/report/read-report.ts'
import { show } from '../../../../src/cli/commands/show.ts'
import type { Paint } from '../../../../src/report/summary/terminal.ts'

const plain: Paint = (_, text) => text

const REPORT = {
  version: 1,
  timestamp: '2026-02-22T14:30:00Z',
  status: 'complete',
  agent_evals_version: '0.2.0',
  package: { name: 'review', version: '1.2.3' },
  cases: [
    {
      id: 'evals/cases/a.yaml#a',
      name: 'a',
      verdict: 'PASS',
      duration_seconds: 18.004,
      engine: 'claude-code',
      agent: { model: 'claude-sonnet-5' },
      cost_usd: 0.02,
      cached: true,
    },
    {
      id: 'evals/cases/b.yaml#b',
      name: 'b\u001B[2J',
      verdict: 'FAIL',
      error: 'expected the output to contain "Hello"\n::error::but it does not',
      duration_seconds: 2,
      checks: [{ kind: 'contains', value: 'Hello', result: 'FAIL' }],
      expectations: [
        { text: 'It greets.', result: 'PASS', reason: 'It does.', evidence: [{ item: 'm1', quote: 'Hi' }] },
      ],
      agent_output_snippet: 'Hi\nthere',
      runs: [{ folder: '.vitest/agent-evals/run/cases/b' }],
    },
    { name: 'c', verdict: 'SKIP', skip_reason: 'not-run' },
  ],
}

function shown(file: string, ...names: string[]): string {
  return formatShown({
    report: readReportFile(file),
    file: 'report.json',
    names,
    paint: plain,
    callsOf: () => ['done     Bash {"command":"ls"}'],
  }).join('\n')
}

test('shows each case with its reason, and of a named one everything', async () => {
  await using folder = await createFixture({ 'report.json': JSON.stringify(REPORT) })
  const file = folder.getPath('report.json')
  expect(shown(file)).toMatchInlineSnapshot(`
    "report.json
    2026-02-22T14:30:00Z, complete, review, agent-evals 0.2.0

    ✓ a         passed   18 s   $0.02    claude-code claude-sonnet-5  cached
    ✗ b\\x1b[2J  failed   2.0 s  unknown
          expected the output to contain "Hello"
            | ::error::but it does not
    - c         skipped
          not-run

    1 passed, 1 failed, 1 skipped"
  `)
  expect(shown(file, 'evals/cases/b.yaml#b')).toMatchInlineSnapshot(`
    "report.json
    2026-02-22T14:30:00Z, complete, review, agent-evals 0.2.0

    ✗ b\\x1b[2J  failed  2.0 s  unknown
          expected the output to contain "Hello"
            | ::error::but it does not
        checks:
          FAIL  contains: Hello
        judge:
          PASS  It greets.
            It does.
            "Hi"
        output:
          Hi
          there
        tool calls:
          done     Bash {"command":"ls"}
        runs:
          .vitest/agent-evals/run/cases/b

    1 passed, 1 failed, 1 skipped"
  `)
  expect(shown(file, 'c')).toMatchInlineSnapshot(`
    "report.json
    2026-02-22T14:30:00Z, complete, review, agent-evals 0.2.0

    - c  skipped
          not-run

    1 passed, 1 failed, 1 skipped"
  `)
})

test('shows the graders of a plugin eval in the place of checks and judge', async () => {
  const graders = [
    {
      name: 'says',
      type: 'regex',
      weight: 3,
      scored: true,
      result: 'FAIL',
      explanation: 'pattern not found',
      ours: null,
    },
    { name: 'skill', type: 'tool_used', weight: 1, scored: false, result: 'PASS', explanation: 'called 1x' },
    {
      name: 'polite',
      type: 'llm',
      weight: 1,
      scored: true,
      result: 'PASS',
      explanation: 'judge votes: PASS FAIL PASS',
      ours: { reason: 'It greets.', quote: 'Good day', quote_found: true },
    },
  ]
  const one = {
    name: 'hello',
    verdict: 'FAIL',
    checks: [{ kind: 'regex', value: 'says', result: 'FAIL' }],
    graded: { score: 0.25, threshold: 1, graders },
  }
  await using folder = await createFixture({ 'report.json': JSON.stringify({ ...REPORT, cases: [one] }) })
  expect(shown(folder.getPath('report.json'), 'hello').split('\n').slice(4, -2)).toEqual([
    '    graders, score 0.25, threshold 1.00:',
    '      FAIL  says (regex, weight 3): pattern not found',
    '      PASS  skill (tool_used, not scored): called 1x',
    '      PASS  polite (llm, weight 1): judge votes: PASS FAIL PASS',
    '        It greets.',
    '        "Good day"',
  ])
})

test('what cannot be shown is refused with what to do', async () => {
  await using folder = await createFixture({ 'report.json': JSON.stringify(REPORT), 'other.json': '{}' })
  const printed = async (...argv: string[]): Promise<string> =>
    show.run(argv).then(String, (error: Error) => error.message.replaceAll(folder.path, ''))
  expect([
    await printed(folder.getPath('none.json')),
    await printed(folder.getPath('other.json')),
    await printed(folder.getPath('report.json'), 'cc'),
    await printed('--all'),
  ]).toMatchInlineSnapshot(`
    [
      "There is no report at /none.json.",
      "/other.json was not written by vitest-agent-evals 0.2 or later. Write it anew: npx vitest-agent-evals run.",
      "/report.json has no case "cc".",
      "--all is unknown. --help shows all options.",
    ]
  `)
})

test('shows the turns of a conversation, and which of them each verdict is about', async () => {
  const [turn, check] = [{ tool_calls: {} }, { kind: 'contains', value: 'sea', result: 'FAIL' }]
  const talk = {
    name: 'talk',
    verdict: 'FAIL',
    error: 'turn 2: no sea',
    checks: [{ ...check, turn: 2 }, check],
    expectations: [{ text: 'It rhymes.', result: 'PASS', turn: 1, evidence: [] }],
    runs: [
      {
        turns: [
          { ...turn, turn: 1, prompt: 'Write a haiku.\nA short one.', outcome: 'passed' },
          { ...turn, turn: 2, prompt: 'About the sea.', outcome: 'failed', error: 'no sea' },
        ],
      },
    ],
  }
  await using folder = await createFixture({ 'report.json': JSON.stringify({ ...REPORT, cases: [talk] }) })
  expect(shown(folder.getPath('report.json'), 'talk')).toContain(`
      turn 2: no sea
    turns:
      passed   turn 1: Write a haiku. A short one.
      failed   turn 2: About the sea.
        no sea
    checks:
      FAIL  turn 2: contains: sea
      FAIL  contains: sea
    judge:
      PASS  turn 1: It rhymes.`)
})
