// @module-tag claude-code
// @module-tag slow
import { expect, test } from 'vitest'
import { bash, createPackage, describeEvals, runEvals, write, type WrittenCase } from '../support/package-run.ts'
import { verdicts } from '../support/eval-project.ts'

const ACTS = [
  { tools: [bash('printf hello')] },
  { tools: [write('${WORKSPACE}/out.json', '{ "total": 3 }')] },
  'Total: 3',
]
const TOTAL = { type: 'object', required: ['total'], properties: { total: { type: 'number' } } }

const HOLDS = {
  matches: ['^total', { pattern: '^total: \\d+$', flags: 'im' }].slice(1),
  'not-matches': 'error',
  'skill-not-used': ['notes', 'release-notes'],
  'tool-called': [
    { tool: 'bash', input: { command: 'printf hello' }, 'input-matches': { command: '^printf' }, times: 1 },
  ],
  'tools-in-order': ['Bash', 'Write'],
  'no-tool': ['WebFetch', 'Read', 'exec_command', 'ToolSearch'],
  'file-contains': { path: 'out.json', text: ['total', '3'] },
  'file-not-contains': { path: 'out.json', text: 'sum' },
  'json-schema': { path: 'out.json', schema: TOTAL },
  'max-cost-usd': 0.5,
  'max-seconds': 600,
  'max-turns': 3,
  'max-tokens': 100_000,
}

const FAILS: Readonly<Record<string, WrittenCase['expected']>> = {
  a: { matches: '^total' },
  b: { 'not-matches': '(?i)TOTAL' },
  c: { 'skill-used': 'notes' },
  d: { 'tool-called': { tool: 'Bash', times: 2 } },
  e: { 'tools-in-order': ['Write', 'Bash'] },
  f: { 'no-tool': true },
  g: { 'file-contains': { path: 'out.json', text: 'sum' } },
  h: { 'json-schema': { path: 'out.json', schema: { ...TOTAL, properties: { total: { type: 'string' } } } } },
  i: { 'json-schema': { schema: TOTAL } },
  j: { 'max-turns': 2 },
}

describeEvals('checks in case files', () => {
  test('hold, fail and break as the real session shows', async () => {
    const names = Object.keys(FAILS)
    await using project = await createPackage({
      files: { 'skills/notes/SKILL.md': '---\nname: release-notes\ndescription: Writes notes\n---\nNotes.\n' },
      cases: {
        holds: { expected: HOLDS, turns: ACTS },
        'k-slow': { expected: { matches: '^(\\w+\\s?)*$' }, turns: [`${'word '.repeat(60)}!`] },
        'l-schema': { expected: { 'json-schema': { schema: { type: 'objekt' } } }, turns: ACTS },
        'm-skill': { expected: { 'skill-not-used': 'release-nots' }, turns: ACTS },
        'n-skill': { expected: { 'skill-used': 'releasenotes' }, turns: ACTS },
        'o-tool': { expected: { 'no-tool': 'Wirte' }, turns: ACTS },
        'p-call': { expected: { 'tool-called': 'Bash' }, turns: [{ tools: [{ name: 'Wirte', input: {} }] }, 'done'] },
        ...Object.fromEntries(
          names.map((name) => [`${name}-fails`, { expected: FAILS[name], turns: ACTS } as WrittenCase]),
        ),
      },
    })
    const run = await runEvals(project)
    expect(verdicts(run.report)).toEqual([
      ...names.slice(0, 8).map((name) => `${name}-fails FAIL`),
      'holds PASS',
      ...names.slice(8).map((name) => `${name}-fails FAIL`),
      'k-slow ERROR workspace-failed',
      'l-schema ERROR invalid-check',
      'm-skill ERROR unknown-name',
      'n-skill ERROR unknown-name',
      'o-tool ERROR unknown-name',
      'p-call ERROR engine-failed',
    ])
    const list = await project.agentEvals(['list'])
    const lint = await project.agentEvals(['lint'])
    for (const text of [list.all, lint.all]) {
      expect(text).toContain('there is no skill "release-nots". Did you mean "release-notes"?')
      expect(text).toContain('there is no skill "releasenotes". Did you mean "release-notes"?')
      expect(text).toContain('there is no tool "Wirte". Did you mean "Write"?')
    }
    expect(lint.all).toMatch(/scenarios\/p-call\.yaml.*there is no tool "Wirte"/)
    expect(lint.exitCode).toBe(1)
    expect(run.report.cases.map(({ name, error }) => `${name}: ${error ?? ''}`)).toMatchInlineSnapshot(`
      [
        "a-fails: expected something in the output to match /^total/ but nothing does",
        "b-fails: expected nothing in the output to match /TOTAL/i but "Total" does",
        "c-fails: expected the skill notes to be used but no skill was used",
        "d-fails: expected Bash to be called 2 times but it was called once",
        "e-fails: expected the tools Write, Bash to be called in this order but Bash was not called after Write",
        "f-fails: expected no tool to be called but Bash {"command":"printf hello","description":"Run it"} was",
        "g-fails: out.json does not contain "sum".",
        "h-fails: expected out.json to follow its JSON schema but /total must be string",
        "holds: ",
        "i-fails: expected the final message to follow its JSON schema but it is not JSON",
        "j-fails: expected the run to take at most 2 turns but it was 3 turns",
        "k-slow: /^(\\w+\\s?)*$/: the pattern took longer than 2 s; rewrite it without nested repetitions",
        "l-schema: evals/cases/l-schema.yaml:7:20 json-schema: the JSON schema cannot be used: schema is invalid: data/type must be equal to one of the allowed values, data/type must be array, data/type must match a schema in anyOf",
        "m-skill: there is no skill "release-nots". Did you mean "release-notes"?",
        "n-skill: there is no skill "releasenotes". Did you mean "release-notes"?",
        "o-tool: there is no tool "Wirte". Did you mean "Write"?",
        "p-call: The scenario calls the tool "Wirte", which the engine does not have: <tool_use_error>Error: No such tool available: Wirte</tool_use_error> Did you mean "Write"?",
      ]
    `)
    const weak = run
      .case('holds')
      .checks.filter(({ kind }) => kind.startsWith('max-'))
      .map((check) => [check.kind, check.weak !== null])
    expect(weak).toEqual([
      ['max-cost-usd', true],
      ['max-seconds', true],
      ['max-turns', false],
      ['max-tokens', true],
    ])
  })

  test('hold the same in a recording, by what the recorded run took', async () => {
    await using project = await createPackage({
      cases: { spends: { expected: { 'max-seconds': 600, 'max-turns': 3, 'no-tool': 'Edit' }, turns: ACTS } },
    })
    expect(verdicts((await runEvals(project, { AGENT_EVALS_SOURCE: 'record' })).report)).toEqual(['spends PASS'])
    const file = 'evals/recordings/cases/spends/claude-code.1.json'
    const recording = await project.files.readFile(file, 'utf8')
    expect(recording).toMatch(/"durationMs": \d+/)
    await project.files.writeFile(file, recording.replace(/"durationMs": \d+/, '"durationMs": 601000'))
    const slow = await runEvals(project, { AGENT_EVALS_SOURCE: 'replay' })
    expect(slow.case('spends').error).toBe('expected the run to take at most 600 s but it was 601 s')
    await project.files.writeFile(file, recording.replace(/ *"durationMs": \d+,\n/, ''))
    const unknown = await runEvals(project, { AGENT_EVALS_SOURCE: 'replay' })
    expect(unknown.case('spends').error).toBe(
      'expected the run to take at most 600 s but its recording does not hold that; record it again',
    )
  })
})
