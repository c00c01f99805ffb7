import { kindOf } from '../../../../src/formats/kinds.ts'
import { describe, expect, test } from 'vitest'
import { parseSkillSuite } from '../../../../src/formats/skill-evals/skill-suite.ts'
import { failsFile, formatIssue } from '../../../../src/lib/documents/document.ts'
import type { EvalCase, Suite } from '../../../../src/formats/suite.ts'

const skill = { name: 'notes', dir: '/p/skills/notes', projectRoot: '/p', evalsDir: '/p/skills/notes/evals' }

function parse(value: unknown): Suite {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const other = { name: 'letters', dir: '/p/skills/letters', projectRoot: '/p' }
  const options = { packageRoot: '/p', skill, skills: [skill, other] }
  return parseSkillSuite(text, { file: '/p/skills/notes/evals/evals.json', ...options })
}

function only(value: unknown): EvalCase {
  const { cases, issues } = parse([value])
  const [evalCase] = cases
  if (evalCase === undefined) throw new Error(issues.map((issue) => formatIssue(issue)).join('\n'))
  return evalCase
}

const issuesOf = (value: unknown): readonly string[] =>
  parse(value).issues.map((issue) => `${issue.severity} ${formatIssue(issue, '/p/skills/notes/evals')}`)

test('a small file cannot ask for millions of expectations', () => {
  const evals = Array.from({ length: 200 }, (_, id) => ({ id, prompt: `p${id}` }))
  const criteria = Array.from({ length: 101 }, (_, id) => `criterion ${id}`)
  expect(parse({ evals, common_assertions: criteria.slice(1) }).cases).toHaveLength(200)
  const { cases, issues } = parse({ evals, common_assertions: criteria })
  expect(cases).toEqual([])
  expect(issues.map(({ code, message }) => `${code}: ${message}`)).toEqual([
    'too-many-values: the 101 shared expectations of 200 evals are more than 20000; split the file',
  ])
})

describe('an artifact eval', () => {
  test('has every field of the text', () => {
    const { cases, issues, format } = parse({
      skill_name: 'notes',
      _design_notes: 'for people',
      evals: [
        {
          id: 'A1',
          _pattern: 'artifact-correctness',
          _why: { any: 'thing' },
          prompt: ' Run headless.\n',
          expected_output: 'A file.',
          files: ['evals/x/files/a.md'],
          expectations: ['a.md exists', 'It is\n  good'],
          timeout: 900,
        },
      ],
    })
    expect(issues).toEqual([])
    expect(format).toBe('skill-evals')
    expect(cases[0]).toMatchObject({
      id: 'A1',
      name: 'A1',
      prompt: ' Run headless.\n',
      timeout: 900,
      tags: ['artifact-correctness'],
      files: [{ to: 'evals/x/files/a.md' }],
      criteria: { context: ['A file.'], statements: [{ text: 'a.md exists' }, { text: 'It is good' }] },
    })
  })

  test.each([
    ['prompt', 'x'],
    ['query', 'x'],
    ['question', 'x'],
    ['input', 'x'],
    ['q', 'x'],
    ['instruction', 'x'],
  ])('may call its prompt %s', (field, text) => {
    expect(only({ id: 1, [field]: text, assertions: ['y'] }).prompt).toBe('x')
  })

  test.each([
    [{ id: 0 }, '0 notes: x'],
    [{ id: 7 }, '7 notes: x'],
    [{}, 'eval-1 notes: x'],
    [
      { id: 8, prompt: `Extract the ${'very '.repeat(20)}long table` },
      `8 notes: Extract the ${'very '.repeat(9).trim()}…`,
    ],
    [{ id: 9, prompt: '会'.repeat(200) }, `9 notes: ${'会'.repeat(59)}…`],
    [{ eval_id: 'e' }, 'e'],
    [{ slug: 's' }, 's'],
    [{ eval_name: 'n' }, 'n'],
    [{ id: 3, name: 'short name' }, '3 short name'],
    [{ id: 'a/b', title: 'a/b' }, 'a/b'],
  ])('is named by %j', (names, name) => {
    expect(only({ prompt: 'x', ...names, expectations: ['y'] }).name).toBe(name)
  })

  test('merges everything that it expects, each text once, and runs what needs no judge', () => {
    const evalCase = only({
      id: 1,
      prompt: 'x',
      expectations: ['one', { text: 'two' }, { name: 'n', description: 'three' }],
      assertions: ['one', { text: 'says hi', type: 'regex', pattern: '(?i)hi' }, { id: 'a', check: 'four' }],
      expected_behavior: 'five',
      rubric: ['six'],
      checks: [
        { type: 'contains_phrase', phrase: 'p' },
        { type: 'not_contains_pattern', pattern: 'q+' },
      ],
      graders: [
        { type: 'file_exists', path: 'out/a.md' },
        { type: 'contains', text: 'the plan has a title', path: 'plan.md', pattern: '#' },
      ],
      must_not: ['lie'],
    })
    expect(evalCase.criteria?.statements?.map(({ text }) => text)).toEqual([
      'one',
      'two',
      'three',
      'four',
      'five',
      'six',
      'This must not be the case: lie',
    ])
    expect(evalCase.checks.map(({ kind, value }) => `${kind} ${String(value)}`)).toEqual([
      'matches hi',
      'contains p',
      'not-matches q+',
      'file-exists out/a.md',
      'file-contains plan.md',
    ])
  })

  test('gets what the file says for all, and a state before its prompt', () => {
    const { cases } = parse({
      common_assertions: ['It is polite.'],
      timeout: 60,
      cases: [{ id: 'c', input: 'go on', state_prefix: '[step 3]', rubric: ['It goes on.'] }],
    })
    expect(cases[0]).toMatchObject({ prompt: '[step 3]\n\ngo on', timeout: 60 })
    expect(cases[0]?.criteria?.statements?.map(({ text }) => text)).toEqual(['It goes on.', 'It is polite.'])
  })

  test('has each expectation at its own line, those for all where they stand', () => {
    const text =
      '{\n"common_assertions": [\n"all"],\n"evals": [{ "id": 1, "prompt": "x", "expectations": [\n"a",\n"b"] }]\n}'
    const statements = parse(text).cases[0]?.criteria?.statements
    expect(statements?.map(({ text: statement, at }) => `${statement} ${at.line}`)).toEqual(['a 5', 'b 6', 'all 3'])
    const broken = { common_assertions: [{ type: 'magic' }], evals: [1, 2].map((id) => ({ id, prompt: 'x' })) }
    expect(issuesOf(broken).filter((issue) => issue.includes('unknown type'))).toHaveLength(1)
  })

  test('may bring files with their content', () => {
    expect(only({ id: 1, prompt: 'x', expectations: ['y'], files: [{ path: './a.txt', content: 'A' }] })).toMatchObject(
      {
        files: [],
        workspaceFiles: [{ to: 'a.txt', content: 'A', from: null }],
      },
    )
  })
})

describe('a trigger query', () => {
  const notes = { skill: 'notes', shouldTrigger: true }
  test.each([
    [{ should_trigger: true }, notes],
    [{ should_trigger: false }, { skill: 'notes', shouldTrigger: false }],
    [{ should_not_trigger: true }, { skill: 'notes', shouldTrigger: false }],
    [{ expected_skill: 'notes' }, notes],
    [{ expect_skill: 'letters' }, { skill: 'letters', shouldTrigger: true }],
    [{ expect: null }, { skill: null, shouldTrigger: false }],
    [{ expect: 'no-trigger' }, { skill: 'notes', shouldTrigger: false }],
    [{ expect: ['notes', 'letters'] }, { skill: 'notes', accepts: ['letters'], shouldTrigger: true }],
    [{ expect: [] }, { skill: null, shouldTrigger: false }],
    [
      { skill: 'letters', should_trigger: false },
      { skill: 'letters', shouldTrigger: false },
    ],
  ])('that says %j', (fields, trigger) => {
    expect(only({ query: 'help', ...fields })).toMatchObject({ name: 'help', trigger })
  })

  test('may stand anywhere, in lists that say what they expect, with runs and threshold', () => {
    const { cases, format } = parse({
      runs_per_query: 5,
      trigger_threshold: 0.8,
      should_trigger: ['one', { query: 'two', runs_per_query: 1 }],
      should_not_trigger: ['three'],
      evals: [{ id: 'e', prompt: 'x', expectations: ['y'] }],
    })
    expect(format).toBe('skill-evals')
    expect(
      cases.map((one) => {
        const trigger = kindOf(one).question(one)
        return [one.name, trigger?.shouldTrigger, trigger?.runs, trigger?.threshold]
      }),
    ).toEqual([
      ['one', true, 5, 0.8],
      ['two', true, 1, 0.8],
      ['three', false, 5, 0.8],
      ['e', undefined, undefined, undefined],
    ])
  })

  test('keeps its id wherever it stands, and its name on one line', () => {
    const query = `Help\n\nme\u202E ${'very '.repeat(40)}much`
    const { cases } = parse([
      { query: 'first', should_trigger: true },
      { query, should_trigger: true },
    ])
    expect(cases[1]?.id).toBe(only({ query, should_trigger: true }).id)
    expect(cases[1]?.name).toHaveLength(120)
    expect(cases[1]?.name).not.toMatch(/[\n\u202E]/)
    expect(cases[1]?.prompt).toBe(query)
  })
})

test('a query without its text says so, and an eval without its prompt', () => {
  expect(issuesOf([{ should_trigger: true }])).toEqual([
    "error evals.json:1:2 0.query: missing; expected a string, the user's message",
  ])
  expect(issuesOf([{ id: 1, should_trigger: true, expectations: ['y'] }])).toEqual([
    'error evals.json:1:2 0.prompt: missing; expected a string, the prompt of the agent',
  ])
})

describe('a mistake', () => {
  const good = { id: 'good', prompt: 'x', expectations: ['y'] }
  const bad = { ...good, id: 'bad' }
  test.each([
    [{ ...bad, files: ['evals\\a.txt'] }, '1.files.0 '],
    [{ ...bad, prompt: ' ' }, '1.prompt must not be empty (line 1).'],
    [{ ...bad, expected_outputs: ['z'] }, '1.expected_outputs unknown field. Did you mean'],
    [{ ...bad, timeout: '10m' }, '1.timeout expected a number, got a string; write the number alone (line 1).'],
    [{ ...bad, skill: 'leters' }, '1.skill there is no skill "leters". Did you mean "letters"? (line 1).'],
    [{ ...bad, expected_skill: 'leters' }, '1.expected_skill there is no skill "leters". Did you mean "letters"?'],
    [{ ...bad, constructor: 1 }, '1.constructor unknown field. Remove it. (line 1).'],
    [{ query: 'x', should_trigger: 'sometimes' }, '1.should_trigger expected true or false, got a string (line 1).'],
    [{ ...good }, '1.id the id "good" is also at line 1; rename one (line 1).'],
    [7, '1 expected an object with a prompt, got a number (line 1).'],
  ])('in an entry costs this entry only: %j', (entry, broken) => {
    const { cases, issues } = parse([good, entry, { query: 'z', should_trigger: true }])
    expect(cases.map((one) => one.broken ?? 'runs')).toEqual(['runs', expect.stringContaining(broken), 'runs'])
    expect(new Set(cases.map(({ id }) => id))).toHaveLength(3)
    expect(issues.filter(failsFile)).toEqual([])
    expect(issues.filter(({ severity }) => severity === 'error').map(({ field }) => field)).toEqual([
      expect.stringMatching(/^1/),
    ])
  })

  test('in a name is none where its proper name says it', () => {
    const { cases, issues } = parse([{ ...good, expected_output: 'z', expected_outputs: ['a.md'] }])
    expect(cases).toMatchObject([{ criteria: { context: ['z'] } }])
    expect(issues.map(({ field, message }) => `${field} ${message}`)).toEqual([
      '0.expected_outputs has no effect; give it a role in "fields"',
    ])
  })

  test('that no step reads is one note for each name of the file', () => {
    const entries = [1, 2, 3].map((number) => ({
      prompt: `p${number}`,
      q: 'other',
      weight: number,
      expectations: ['y'],
    }))
    expect(
      parse({ evals: entries, runs_per_query: 3 }).issues.map(({ field, message }) => `${field} ${message}`),
    ).toEqual([
      'runs_per_query has no effect',
      "evals.0.id missing (3 entries); the entry's number is its id until another is inserted before it. Add a stable id",
      'evals.0.q has no effect (3 entries)',
      'evals.0.weight has no effect (3 entries); give it a role in "fields"',
    ])
  })

  test.each([
    ['{', '{'],
    ['no list', { skill_name: 'notes' }],
    ['misspelt list', { eval: [] }],
    ['list of nothing', []],
    ['wrong list', { evals: {} }],
    ['a number', 7],
    ['no prompt', [{ id: 1, expectations: ['y'] }]],
    ['an empty prompt', [{ id: 1, prompt: ' ', expectations: ['y'] }]],
    ['misspelt field', [{ id: 1, prompt: 'x', expectation: ['y'] }]],
    ['misspelt direction', [{ query: 'x', should_triger: true }]],
    ['an unsafe path', [{ id: 1, prompt: 'x', expectations: ['y'], files: ['../secret'] }]],
    ['a wrong timeout', [{ id: 1, prompt: 'x', expectations: ['y'], timeout: '10m' }]],
    [
      'the same id',
      [
        { id: 1, prompt: 'x', expectations: ['y'] },
        { id: '1', prompt: 'z', expectations: ['y'] },
      ],
    ],
    [
      'the same query',
      [
        { query: 'x', should_trigger: true },
        { query: 'x', should_trigger: true },
      ],
    ],
    ['a query without an answer', [{ query: 'x' }]],
    ['a word that is neither a direction nor a skill', [{ query: 'x', should_trigger: 'sometimes' }]],
    ['a contradiction', [{ query: 'x', should_trigger: true, expected_skill: null }]],
    ['an unknown skill', [{ query: 'x', expected_skill: 'leters' }]],
    ['a wrong pattern', [{ id: 1, prompt: 'x', assertions: [{ type: 'regex', pattern: '(' }] }]],
    ['an empty assertion', [{ id: 1, prompt: 'x', assertions: [{ type: 'magic' }] }]],
    ['an entry that is none', ['x']],
    [
      'a foreign field',
      [
        { id: 1, prompt: 'x', expectations: ['y'], difficulty: 1 },
        { id: 2, prompt: 'x', expectations: ['y'], difficulty: 2 },
      ],
    ],
    ['another skill', { skill_name: 'memos', evals: [{ id: 1, prompt: 'x', expectations: ['y'] }] }],
    ['no expectations', [{ id: 1, prompt: 'x' }]],
  ])('%s', (name, value) => {
    expect([name, ...issuesOf(value)]).toMatchSnapshot()
  })
})
