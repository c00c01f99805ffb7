import { expect, test } from 'vitest'
import { linesOf } from '../../../support/listed-lines.ts'

const CASES = `# Cases of two skills
version: 1
cases:
  - id: first
    skill: x
    prompt: |-
      Read this letter.

      It has two pages.
    expect:
      - "Names the date"
      - 说明缺少签名
  - id: second
    skill: y
    prompt: Sing
    expect_trigger: false
    must_not_include: [a song]
    difficulty: 2
`

test('a suite in YAML is read as one in JSON is', async () => {
  expect(await linesOf(CASES, {}, 'evals/cases.yaml')).toEqual([
    'eval of x: Read this letter.\n\nIt has two pages. | judge "Names the date" | judge "说明缺少签名"',
    'eval of y: Sing | check "The skill y is not used." | judge "This must not be the case: a song"',
    'note version: has no effect: unknown field',
    'note cases.1.difficulty: has no effect: unknown field',
  ])
  const queries = '- query: Do x\n  should_trigger: true\n- query: Sing\n  should_trigger: false\n'
  expect(await linesOf(queries, {}, 'skills/x/evals/triggers.yml')).toEqual([
    'trigger of x: Do x | check "The skill x is used."',
    'trigger of x: Sing | check "The skill x is not used."',
  ])
})

test('a suite with an entry on each line is read, and its notes have the lines', async () => {
  const lines = [
    { id: 'a', skills: ['x'], prompt: 'Do x', checks: ['Asks first'] },
    { id: 'b', skills: [], prompt: 'Score it', checks: ['Changes nothing'], tools: 'search' },
  ].map((entry) => JSON.stringify(entry))
  expect(await linesOf(`${lines.join('\n\n')}\n`, {}, 'skills/x/evals/cases.jsonl')).toEqual([
    'eval of x: Do x | judge "Asks first"',
    'eval of x: Score it | check "No skill is used." | judge "Changes nothing"',
    'note 1.tools: has no effect: unknown field',
  ])
})

test('a copy of a suite in another notation is counted and not read', async () => {
  const suite = [{ query: 'Do x', should_trigger: true }]
  const more = { 'skills/x/evals/triggers.jsonl': `${JSON.stringify(suite[0])}\n` }
  expect(await linesOf(suite, more, 'skills/x/evals/triggers.json')).toEqual([
    'trigger of x: Do x | check "The skill x is used."',
    'note: 1 *.jsonl file of another format, ignored (skills/x/evals/triggers.jsonl).',
  ])
})

test('what only looks like one is counted: a log, a case of another tool, a file with a mistake', async () => {
  const entry = JSON.stringify({ prompt: 'a', expectations: ['b'] })
  const more = {
    'skills/x/evals/last-results.jsonl': entry,
    'skills/x/evals/a.eval.yaml': CASES,
    'skills/x/evals/broken.jsonl': `${entry}\n{"prompt": \n`,
    'skills/x/evals/anchors.yaml': 'cases:\n  - &a\n    prompt: a\n    expect: [a b]\n  - *a\n',
  }
  expect(await linesOf({}, more, 'package.json')).toEqual([
    'note: 1 *.eval.yaml file of another format, ignored (skills/x/evals/a.eval.yaml).',
    'note: 1 *.yaml file of another format, ignored (skills/x/evals/anchors.yaml).',
    'note: 2 *.jsonl files of another format, ignored (first: skills/x/evals/broken.jsonl).',
    'note: No evals found: no file reads like a suite. Create a first one with npx vitest-agent-evals init.',
  ])
})

test('checks in objects of their own, by the names of their fields', async () => {
  const entry = {
    id: 'a',
    prompt: 'Review it',
    timeout_seconds: 180,
    session_context: 'Three hours in. The user wants no new dependencies.',
    assertions: [
      { text: 'Flags it', check: { contains_any: ['SQL injection', 'injection'] } },
      { text: 'Stays apart', check: { not_contains: ['CLAUDE.md', 'hooks'] } },
      { text: 'Splits it', check: { matches_any: ['Split\\(s', '`,`'] } },
      { contains: 'filter', not_matches: ['(?i)alter table'] },
      { text: 'Is kind', check: { tone: 'kind' } },
      { name: 'greets', check: 'contains', value: 'Dear' },
      { id: 'b', check: 'contains_any', values: ['a', 'b'] },
    ],
    veto: ['Does not run the tests.'],
  }
  expect(await linesOf({ evals: [entry] })).toEqual([
    [
      'eval of x: Review it\n\nThree hours in. The user wants no new dependencies.',
      'check "Flags it"',
      'check "Stays apart"',
      'check "Stays apart"',
      'check "Splits it"',
      'check "The output contains "filter"."',
      'check "The output does not match /alter table/i."',
      'check "greets"',
      'check "The output matches /a|b/."',
      'judge "Is kind"',
      'judge "This must not be the case: Does not run the tests."',
    ].join(' | '),
    'note evals.0.assertions.4.check.tone: has no effect: unknown field',
    'note evals.0.assertions.6.id: has no effect: unknown field',
  ])
})

test('what an element says by several of its fields', async () => {
  const entry = {
    id: 'a',
    prompt: 'Review it',
    assertions: [
      { type: 'content', pattern: '(OWASP|CWE)' },
      { type: 'tool_use', tool: 'Bash', pattern: '(semgrep|trivy)' },
      { type: 'tool_not_called', name: 'Write' },
      { id: 'ran', type: 'transcript_check', check: 'tool_invocation_matches', pattern: 'bun (test|run test)' },
      { criterion: 'Delivery', threshold: 8, rubric: { 0: 'Nothing', 8: 'States the mode', 10: 'Mirrors it' } },
    ],
    expected_findings: [{ id: 'logged', file: 'after.py', line: 7, why: 'It logs headers.' }],
  }
  expect(await linesOf([entry])).toEqual([
    [
      'eval of x: Review it',
      'check "The output matches /(OWASP|CWE)/."',
      'judge "The Bash tool is called with an input that matches "(semgrep|trivy)""',
      'check "The Write tool is not called"',
      'judge "tool invocation matches: "bun (test|run test)""',
      'judge "Delivery: States the mode"',
      'judge "Expected findings: id: logged; file: after.py; line: 7; why: It logs headers."',
    ].join(' | '),
    'note 0.assertions.3.id: has no effect: unknown field',
  ])
})
