import { expect, test } from 'vitest'
import { CHECK_SCHEMAS } from '../../../src/checks/check-schemas.ts'
import { CHECKS, kindOf, runCheck, type AskedCheck } from '../../../src/checks/checks.ts'
import { knownFields } from '../../../src/lib/documents/known-fields.ts'
import { decideOutcome } from '../../../src/report/results/decide-outcome.ts'
import type { AgentRun, SessionNames } from '../../../src/transcript/transcript.ts'
import { createPackage, loadCase } from '../../support/aam-fixture.ts'
import { agentRun } from '../../support/agent-run.ts'
import { gradeBy } from '../../support/plugin-eval/grader.ts'
import '../../../src/register.ts'

const NAMES: SessionNames = {
  skills: [['notes', 'release-notes'], ['kit:letters']],
  tools: {
    Read: 'Read',
    Write: 'Write',
    WebFetch: 'WebFetch',
    exec_command: 'Bash',
    mcp__files__read: 'mcp__files__read',
    mcp__late: 'mcp__late',
  },
  servers: ['files', 'dead', 'late'],
}
const run = agentRun({ names: NAMES }, [
  { kind: 'skill-used', agent: null, skill: 'notes', via: 'tool' },
  { kind: 'tool-call', agent: null, id: '1', tool: 'Write', input: {} },
  { kind: 'tool-call', agent: null, id: '2', tool: 'Bash', input: {} },
  { kind: 'tool-call', agent: null, id: '3', tool: 'Newer', input: {} },
])

/** Values of fields that are names, each misspelt. */
const MISSPELT: Readonly<Partial<Record<keyof typeof CHECKS, readonly unknown[]>>> = {
  'hook-ran': [{ event: 'PreToolUs' }],
  'no-tool': ['Wirte', 'mcp__fiels__read', 'mcp__files__raed', 'mcp__dead__go'],
  'skill-not-used': ['release-nots', 'kti:letters'],
  'skill-used': ['releasenots', 'notess'],
  'tool-called': ['Wirte', { tool: 'Wirte' }, { tool: 'Skill', input: { skill: 'release-nots' } }],
  'tools-in-order': [['Read', 'Wirte']],
}

/** Graders of plugin evals; no case file has them as checks. */
const OF_GRADERS: readonly string[] = ['first-called']

/** Checks whose fields are no names of skills, tools or hooks. */
const NAMELESS: readonly string[] = [
  'agent-blocked',
  'contains',
  'file-contains',
  'file-not-contains',
  'files-created',
  'hook-output',
  'json-schema',
  'matches',
  'max-cost-usd',
  'max-seconds',
  'max-tokens',
  'max-turns',
  'not-contains',
  'not-matches',
  'script',
]

/** What may be asked, and how it comes out. */
const HONEST: readonly (readonly [kind: string, value: unknown, outcome: string])[] = [
  // Another engine has it.
  ['no-tool', 'WebFetch', 'passed'],
  // The session has it, offered or called.
  ['no-tool', 'mcp__files__read', 'passed'],
  ['no-tool', 'newer', 'failed'],
  // A server whose tools have to be searched for.
  ['no-tool', 'mcp__late__go', 'passed'],
  // The engine's own name of what the transcript calls otherwise.
  ['no-tool', 'exec_command', 'failed'],
  ['tool-called', 'exec_command', 'passed'],
  ['tools-in-order', ['write', 'bash'], 'passed'],
  // Folder, front matter, and the plugin's prefix.
  ['skill-used', 'release-notes', 'passed'],
  ['skill-used', 'kit:notes', 'passed'],
  ['skill-not-used', 'release-notes', 'failed'],
  ['skill-not-used', 'letters', 'passed'],
  ['skill-not-used', 'kit:letters', 'passed'],
  ['hook-ran', { event: 'Stop' }, 'failed'],
]

function outcomeOf(kind: string, value: unknown, seen: AgentRun = run): string {
  const parsed = CHECK_SCHEMAS.get(kind)?.safeParse(value)
  if (parsed?.data === undefined) return 'refused'
  const [fields] = [parsed.data].flat()
  const { code, outcome } = runCheck({ kind, ...fields } as AskedCheck, {
    run: seen,
    hook: null,
    read: () => 'unknown',
  })
  return code ?? outcome
}

test('every check of a case file that takes a name has a row, and every other is said to take none', () => {
  expect([...Object.keys(MISSPELT), ...NAMELESS].toSorted()).toEqual([...CHECK_SCHEMAS.keys()].toSorted())
  const asking = Object.keys(CHECKS).filter((kind) => kindOf(kind)?.names !== undefined)
  expect(asking.filter((kind) => ![...Object.keys(MISSPELT), ...OF_GRADERS].includes(kind))).toEqual([])
})

test.for(Object.entries(MISSPELT))('%s: a misspelt name neither passes nor fails', ([kind, values]) => {
  const outcomes = values.map((value) => outcomeOf(kind, value))
  expect(outcomes).toEqual(values.map(() => (kind === 'hook-ran' ? 'refused' : 'unknown-name')))
})

test.for(HONEST)('%s: %j is known, and %s', ([kind, value, outcome]) => {
  expect(outcomeOf(kind, value)).toBe(outcome)
})

test('nothing is unknown where nothing is known of the session, or of the tools of an engine', () => {
  expect(outcomeOf('no-tool', 'Wirte', { ...run, names: { ...NAMES, tools: null } })).toBe('passed')
  const { names: _, ...unnamed } = run
  expect(outcomeOf('no-tool', 'Wirte', unnamed)).toBe('passed')
  expect(outcomeOf('skill-not-used', 'release-nots', unnamed)).toBe('passed')
  // An arm without the plugin lacks its servers.
  expect(outcomeOf('no-tool', 'mcp__dead__go', { ...run, names: { ...NAMES, servers: null } })).toBe('passed')
})

test('a misspelt check, or a misspelt field of one, is an error of the case', async () => {
  const fields = [...CHECK_SCHEMAS].flatMap(([kind, schema]) =>
    knownFields(schema, []).map((field): readonly [string, string] => [kind, field]),
  )
  expect(fields.length).toBeGreaterThan(10)
  const written = [
    ...[...CHECK_SCHEMAS.keys()].map((kind) => ({ [`${kind}s`]: 'x' })),
    ...fields.map(([kind, field]) => ({ [kind]: { [`${field}s`]: 'x' } })),
  ]
  for (const expected of written) {
    await using fixture = await createPackage(JSON.stringify({ name: 'a', input: { prompt: 'Go.' }, expected }))
    const { cases, issues } = await loadCase(fixture)
    expect([cases, issues.some(({ severity }) => severity === 'error')], JSON.stringify(expected)).toEqual([[], true])
  }
})

test('the message has the nearest name, or the cause', () => {
  const messageOf = (kind: string, value: unknown): string => {
    const [fields] = [CHECK_SCHEMAS.get(kind)?.parse(value)].flat()
    const asked = { kind, ...fields } as AskedCheck
    return runCheck(asked, { run, hook: null, read: () => 'unknown' }).message ?? ''
  }
  expect([
    ...(MISSPELT['no-tool'] ?? []).map((value) => messageOf('no-tool', value)),
    ...(MISSPELT['skill-not-used'] ?? []).map((value) => messageOf('skill-not-used', value)),
    messageOf('skill-used', 'absent'),
    messageOf('tool-called', 'Teleport'),
  ]).toMatchInlineSnapshot(`
    [
      "there is no tool "Wirte". Did you mean "Write"?",
      "there is no MCP server "fiels". Did you mean "files"?",
      "the MCP server "files" has no tool "mcp__files__raed". Did you mean "mcp__files__read"?",
      "the tool "mcp__dead__go" was not offered. The MCP server "dead" did not start.",
      "there is no skill "release-nots". Did you mean "release-notes"?",
      "there is no skill "kti:letters". Did you mean "kit:letters"?",
      "there is no skill "absent". There are notes, release-notes, kit:letters.",
      "there is no tool "Teleport". No engine has one, and the session did not offer it.",
    ]
  `)
})

test('a case with such a check is errored, unless another check failed', () => {
  const at = { line: 1, column: 1 }
  const unknown = {
    kind: 'no-tool',
    value: 'Wirte',
    at,
    outcome: 'errored',
    code: 'unknown-name',
    message: 'x',
  } as const
  expect(decideOutcome([unknown], null, run).error?.code).toBe('unknown-name')
  const failed = { kind: 'contains', value: 'x', at, outcome: 'failed', message: 'x' } as const
  expect(decideOutcome([unknown, failed], null, run).outcome).toBe('failed')
})

const used = { type: 'tool_used', min: 0, max: 0 }

test.for([
  [{ ...used, tool: 'Wirte' }, 'unknown-name'],
  // Claude Code's own runner compares names exactly, and counts no call here.
  [{ ...used, tool: 'write' }, 'passed'],
  [{ ...used, tool: 'Skill', input_match: '"skill":"release-nots"' }, 'unknown-name'],
  [{ ...used, tool: 'Skill', input_match: 'kit:letters' }, 'passed'],
  [{ ...used, tool: 'Skill', input_match: '"args":"weekly"' }, 'passed'],
  [{ ...used, tool: 'WebFetch' }, 'passed'],
  [{ ...used, tool: 'exec_command' }, 'failed'],
  [{ type: 'tool_order', before: 'Raed', after: 'Write' }, 'unknown-name'],
] as const)('a grader of %j: %s', ([grader, expected]) => {
  const withSkill = { ...NAMES, tools: { ...NAMES.tools, Skill: 'Skill' } }
  const { code, outcome } = gradeBy(grader, { ...run, names: withSkill })
  expect(code ?? outcome).toBe(expected)
})

test.for([
  ['toHaveUsedSkill', 'release-nots'],
  ['toHaveCalledTool', 'Wirte'],
  ['toHaveCalledTool', 'Skill', { input: { skill: 'release-nots' } }],
  ['toHaveCalledNoTool', 'Wirte'],
  ['toHaveCalledToolsInOrder', ['Read', 'Wirte']],
])('%s throws for a misspelt name, also under .not', ([matcher, ...given]) => {
  for (const assertion of [expect(run), expect(run).not]) {
    const asked = assertion as unknown as Record<string, (...args: unknown[]) => void>
    expect(() => asked[matcher as string]?.(...given)).toThrow(
      expect.objectContaining({ code: 'unknown-name' }) as Error,
    )
  }
})

test('a scenario may not call a tool that neither the session nor an engine has', () => {
  const played = { ...run, model: 'scenario' }
  expect(decideOutcome([], null, played).reason).toContain('there is no tool "Newer"')
  const known = { ...NAMES, tools: { ...NAMES.tools, Newer: 'Newer' } }
  expect(decideOutcome([], null, { ...played, names: known }).outcome).toBe('passed')
})
