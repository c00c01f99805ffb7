import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { createFixture } from 'fs-fixture'
import { parse } from 'yaml'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { loadScenario, parseScenario, scenarioSchema } from '../../../../src/gateway/sources/load-scenario.ts'
import { formatIssue } from '../../../../src/lib/documents/document.ts'

const PUBLISHED = fileURLToPath(new URL('../../../../schemas/scenario.schema.json', import.meta.url))

function issuesOf(yaml: string): readonly string[] {
  const { scenario, issues } = parseScenario(yaml, '/package/case.yaml')
  const errors = issues.filter((issue) => issue.severity === 'error')
  expect(scenario === null).toBe(errors.length > 0)
  return issues.map((issue) => `${issue.severity} ${formatIssue(issue, '/package')}`)
}

test('reads everything a scenario may hold, with its lines', async () => {
  await using fixture = await createFixture({
    'case.yaml': `model: claude-opus-5-5
turns:
  - Hello.
  - text: I delegate.
    tools:
      - name: Agent
        input: { prompt: Look., depth: 2, on: true, list: [1, null] }
        turns:
          - Report.
      - name: Read
  - error: { status: 429, type: rate_limit_error, message: Slow., retry-after: 1.5 }
  - error: { status: 500 }
side:
  - '{"ok": true}'
judge:
  - - { verdict: pass, reason: It says so., quote: Hello. }
    - { verdict: unscored, reason: Nobody can tell. }
  - I think it passes.
  - { text: '{', stop: max-tokens }
  - { error: { status: 529 } }
`,
  })
  const file = fixture.getPath('case.yaml')
  expect(await loadScenario(file)).toEqual({
    issues: [],
    scenario: {
      file,
      model: 'claude-opus-5-5',
      turns: [
        { line: 3, text: 'Hello.', tools: [], error: null },
        {
          line: 4,
          text: 'I delegate.',
          tools: [
            {
              name: 'Agent',
              input: { prompt: 'Look.', depth: 2, on: true, list: [1, null] },
              turns: [{ line: 9, text: 'Report.', tools: [], error: null }],
            },
            { name: 'Read', input: {}, turns: null },
          ],
          error: null,
        },
        {
          line: 11,
          text: null,
          tools: [],
          error: { status: 429, type: 'rate_limit_error', message: 'Slow.', retryAfter: 1.5 },
        },
        {
          line: 12,
          text: null,
          tools: [],
          error: { status: 500, type: '', message: 'The scenario answers 500.', retryAfter: null },
        },
      ],
      side: [{ line: 14, text: '{"ok": true}', tools: [], error: null }],
      judge: [
        {
          line: 16,
          verdicts: [
            { verdict: 'pass', reason: 'It says so.', quote: 'Hello.', weak: '' },
            { verdict: 'unscored', reason: 'Nobody can tell.', quote: '', weak: '' },
          ],
          scores: null,
          text: null,
          error: null,
          stop: null,
        },
        { line: 18, verdicts: null, scores: null, text: 'I think it passes.', error: null, stop: null },
        { line: 19, verdicts: null, scores: null, text: '{', error: null, stop: 'max-tokens' },
        {
          line: 20,
          verdicts: null,
          scores: null,
          text: null,
          error: { status: 529, type: '', message: 'The scenario answers 529.', retryAfter: null },
          stop: null,
        },
      ],
    },
  })
})

test('says every mistake at its place', () => {
  expect(
    issuesOf(`modle: x
turns:
  - 5
  - {}
  - tex: Hello.
  - text: both
    error: { status: 200 }
  - tools:
      - { input: {} }
      - { name: Bash, inputs: {} }
      - { name: Agent, turns: [] }
      - { name: Agent, turns: [{ error: {} }] }
  - tools: []
side: Hello.
`),
  ).toMatchInlineSnapshot(`
    [
      "error case.yaml:1:1 modle: unknown field. Did you mean "model"?",
      "error case.yaml:3:5 turns.0: expected a text, or an object with \`text\`, \`tools\` or \`error\`",
      "error case.yaml:4:5 turns.1: an empty turn; give it \`text\`, \`tools\` or \`error\`",
      "error case.yaml:5:5 turns.2.tex: unknown field. Did you mean "text"?",
      "error case.yaml:5:5 turns.2: an empty turn; give it \`text\`, \`tools\` or \`error\`",
      "error case.yaml:7:12 turns.3.error: an error takes neither \`text\` nor \`tools\`",
      "error case.yaml:7:22 turns.3.error.status: must be at least 400",
      "error case.yaml:9:9 turns.4.tools.0.name: missing; expected a string",
      "error case.yaml:10:23 turns.4.tools.1.inputs: unknown field. Did you mean "input"?",
      "error case.yaml:11:31 turns.4.tools.2.turns: must not be empty",
      "error case.yaml:12:34 turns.4.tools.3.turns.0.error.status: missing; expected a number",
      "error case.yaml:13:12 turns.5.tools: must not be empty",
      "error case.yaml:14:7 side: expected a list, got a string; write a list: ["Hello."]",
    ]
  `)
})

test('says every mistake of a judge at its place', () => {
  expect(
    issuesOf(`turns: [a]
judge:
  - - { verdict: maybe, reason: x }
    - { verdict: pass }
    - pass
  - { text: a, verdicts: [] }
  - {}
  - { error: { status: 529 }, stop: refusal }
  - 5
`),
  ).toMatchInlineSnapshot(`
    [
      "error case.yaml:3:5 judge.0.verdicts.0.verdict: expected "pass" or "fail" or "unscored", got "maybe"",
      "error case.yaml:3:5 judge.0.verdicts.1.reason: missing; expected a string",
      "error case.yaml:3:5 judge.0.verdicts.2: expected an object, got a string",
      "error case.yaml:6:5 judge.1: give it exactly one of \`verdicts\`, \`scores\`, \`text\` and \`error\`",
      "error case.yaml:7:5 judge.2: give it exactly one of \`verdicts\`, \`scores\`, \`text\` and \`error\`",
      "error case.yaml:8:37 judge.3.stop: an error does not stop early",
      "error case.yaml:9:5 judge.4: expected a list of verdicts, or an object with \`verdicts\`, \`scores\`, \`text\` or \`error\`",
    ]
  `)
})

test('an ending that cannot be reached is remarked', () => {
  expect(issuesOf('turns:\n  - tools: [{ name: Bash }]\n')).toMatchInlineSnapshot(`
    [
      "warning case.yaml:2:5 turns.0: the last turn calls tools, so the model is asked again and has no answer; add a turn with \`text\`",
    ]
  `)
})

test.for([
  { name: 'empty', yaml: '' },
  { name: 'not YAML', yaml: 'turns: [a' },
  { name: 'a list', yaml: '- a' },
  { name: 'no turns', yaml: 'model: x' },
])('a file that is $name has one issue', ({ yaml }) => {
  expect(issuesOf(yaml)).toMatchSnapshot()
})

test('a file that is not there is an issue of that file', async () => {
  expect(await loadScenario('/nowhere/case.yaml')).toMatchObject({
    scenario: null,
    issues: [{ code: 'file-missing', file: '/nowhere/case.yaml' }],
  })
})

test('the published schema is the one that files are read with', async () => {
  const schema = z.toJSONSchema(scenarioSchema, { io: 'input' })
  await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot(PUBLISHED)
})

test.for([
  'turns: [Hello.]',
  'model: m\nturns: [{ text: a, tools: [{ name: Bash, input: { a: [1] }, turns: [b] }] }, { tools: [{ name: X }] }, c]\nside: [d]',
  'turns: [{ error: { status: 529, retry-after: 0 } }, { error: { status: 400, type: t, message: m } }]',
  '$schema: https://example.com/scenario.schema.json\nturns: [a]',
  'turns: []',
  'turns: [5]',
  'turns: [{}]',
  'turns: [""]',
  'turns: [{ text: a, error: { status: 500 } }]',
  'turns: [{ tools: [], text: a }]',
  'turns: [{ tools: [{ name: X }], error: { status: 500 } }]',
  'turns: [{ error: { status: 200 } }]',
  'turns: [{ error: { status: 500.5 } }]',
  'turns: [{ text: 5 }]',
  'turns: [{ txt: a }]',
  'turns: [{ tools: [{ name: X, turns: [{}] }] }]',
  'turn: [a]',
  'turns: a',
  'turns: [a]\njudge: [[{ verdict: pass, reason: r, quote: q }], text, { verdicts: [] }, { text: t, stop: refusal }, []]',
  'turns: [a]\njudge: []',
  'turns: [a]\njudge: [[pass]]',
  'turns: [a]\njudge: [""]',
  'turns: [a]\njudge: [{}]',
  'turns: [a]\njudge: [{ text: a, verdicts: [] }]',
  'turns: [a]\njudge: [{ error: { status: 500 }, stop: refusal }]',
  'turns: [a]\njudge: [{ error: { status: 500 } }]',
  'turns: [a]\njudge: [{ stop: refusal }]',
])('the published schema and the loader agree on %s', async (yaml) => {
  const validate = new Ajv2020({ allowUnionTypes: true }).compile(JSON.parse(await readFile(PUBLISHED, 'utf8')))
  expect(validate(parse(yaml))).toBe(parseScenario(yaml, '/package/case.yaml').scenario !== null)
})
