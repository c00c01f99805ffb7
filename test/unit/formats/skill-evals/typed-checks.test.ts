import { describe, expect, test } from 'vitest'
import { parseSkillSuite } from '../../../../src/formats/skill-evals/skill-suite.ts'
import type { Suite } from '../../../../src/formats/suite.ts'

const skill = { name: 'notes', dir: '/p/skills/notes', projectRoot: '/p', evalsDir: '/p/skills/notes/evals' }

function read(entry: object): Suite {
  const text = JSON.stringify([{ id: 'a', prompt: 'Go.', ...entry }])
  return parseSkillSuite(text, { file: '/p/skills/notes/evals/evals.json', packageRoot: '/p', skill, skills: [skill] })
}

function checksOf(...expectations: readonly unknown[]): readonly string[] {
  const { cases, issues } = read({ expectations })
  expect(issues).toEqual([])
  return (cases[0]?.checks ?? []).map(({ at: _at, ...check }) => JSON.stringify(check))
}

describe('checks of case files in evals.json', () => {
  test.each([
    [{ 'tool-called': 'Bash' }, { kind: 'tool-called', value: 'Bash' }],
    [
      { type: 'tool_called', tool: 'Bash', times: 2 },
      { kind: 'tool-called', value: 'Bash', times: 2 },
    ],
    [
      { type: 'no-tool', tool: 'WebFetch' },
      { kind: 'no-tool', value: 'WebFetch' },
    ],
    [
      { type: 'tools-in-order', tools: ['Read', 'Edit'] },
      { kind: 'tools-in-order', value: 'Read, Edit', names: ['Read', 'Edit'] },
    ],
    [
      { type: 'max-turns', value: 5 },
      { kind: 'max-turns', value: 5 },
    ],
    [{ max_cost_usd: 0.25 }, { kind: 'max-cost-usd', value: 0.25 }],
    [
      { type: 'file-contains', path: 'a.md', text: 'x' },
      { kind: 'file-contains', value: 'a.md', text: 'x' },
    ],
    [
      { type: 'contains', path: './a.md', value: 'x' },
      { kind: 'file-contains', value: 'a.md', text: 'x' },
    ],
    [
      { text: 'It has a total', contains: 'total', file: 'out/a.md' },
      { kind: 'file-contains', value: 'out/a.md', text: 'total', says: 'It has a total' },
    ],
    [
      { type: 'not_contains', file: 'a.md', value: 'TODO' },
      { kind: 'file-not-contains', value: 'a.md', text: 'TODO' },
    ],
    [
      { type: 'contains', path: 'a.md', value: 'TODO', negate: true },
      { kind: 'file-not-contains', value: 'a.md', text: 'TODO' },
    ],
    [
      { 'skill-used': 'notes', negate: true },
      { kind: 'skill-not-used', value: 'notes', names: ['notes'] },
    ],
    [
      { text: 'It is cheap', check: { 'max-tokens': 9 } },
      { kind: 'max-tokens', value: 9, says: 'It is cheap' },
    ],
  ])('%j', (written, check) => {
    expect(checksOf(written)).toEqual([JSON.stringify(check)])
  })

  test('that look into a file take all of several texts; what no check looks for in a file is for the judge', () => {
    expect(checksOf({ contains_all: ['x', 'y'], path: 'a.md' })).toEqual([
      '{"kind":"file-contains","value":"a.md","text":"x"}',
      '{"kind":"file-contains","value":"a.md","text":"y"}',
    ])
    const text = 'It names a total'
    for (const element of [
      { text, regex: 't.t', file: 'a.md' },
      { text, contains_any: ['x', 'y'], file: 'a.md' },
      { text, contains: 'x', file: 'out/*.md' },
      { text, contains: 'x', file: '/tmp/a.md' },
    ]) {
      const { cases } = read({ expectations: [element] })
      expect(cases[0]?.checks).toEqual([])
      expect(cases[0]?.criteria?.statements).toMatchObject([{ text: expect.stringContaining(`${text} (file `) }])
    }
  })

  test('turn round where they must not be the case, or say that they cannot', () => {
    const turned = read({ must_not: [{ 'tool-called': 'WebFetch' }] })
    expect(turned.cases[0]?.checks).toMatchObject([{ kind: 'no-tool', value: 'WebFetch' }])
    const stuck = read({ must_not: [{ 'max-turns': 5 }, { 'tool-called': { tool: 'Bash', times: 2 } }] })
    expect(stuck.issues.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      'invalid-expectation: max-turns has no opposite',
      'invalid-expectation: tool-called has no opposite',
    ])
  })

  test('stand beside checks of other names, and leave the types of other tools to the judge', () => {
    const both = read({ expectations: [{ contains: 'x', not_matches: 'y' }] })
    expect(both.issues).toEqual([])
    expect(both.cases[0]?.checks.map(({ kind }) => kind)).toEqual(['contains', 'not-matches'])
    const other = read({ expectations: [{ text: 'It runs', type: 'script', command: 'npm test' }] })
    expect(other.cases[0]?.criteria?.statements).toMatchObject([{ text: 'It runs' }])
    expect(other.issues.filter(({ severity }) => severity === 'error')).toEqual([])
  })

  test.each([
    [
      { dimension: 'gates', check: 'tool_called', tool: 'Bash', signal: 'asks' },
      { kind: 'tool-called', value: 'Bash' },
      ['dimension', 'signal'],
    ],
    [{ type: 'max-turns', value: 5, note: 1 }, { kind: 'max-turns', value: 5 }, ['note']],
    [
      { type: 'skill-used', skill: 'notes', times: 2 },
      { kind: 'skill-used', value: 'notes', names: ['notes'] },
      ['times'],
    ],
  ])('%j is the check that its type says, and what it does not take is named', (written, check, unread) => {
    const { cases, issues } = read({ expectations: [written] })
    expect(cases[0]?.checks.map(({ at: _at, ...one }) => one)).toEqual([check])
    expect(issues.map(({ severity, field, message }) => `${severity} ${field}: ${message}`)).toEqual(
      unread.map((name) => `warning 0.expectations.0.${name}: has no effect; give it a role in "fields"`),
    )
  })

  test.each([
    [{ type: 'max-turns', value: 'few' }, 'value: expected a number, got a string'],
    [{ type: 'tool-called', tool: 'Bash', times: 'x' }, 'times: expected a number, got a string'],
    [{ type: 'file-contains', path: 'a' }, 'text: missing; expected a string or a list'],
  ])('the mistake in %j is at its field', (written, mistake) => {
    const { issues } = read({ expectations: [written] })
    expect(issues.map(({ field, message }) => `${field}: ${message}`)).toEqual([`0.expectations.0.${mistake}`])
  })

  test('a wrong value is an error, and beside a sentence a remark', () => {
    expect(read({ expectations: [{ 'max-turns': 'few' }] }).issues).toMatchObject([
      { severity: 'error', code: 'wrong-type' },
    ])
    const beside = read({ expectations: [{ text: 'It matches', matches: true }] })
    expect(beside.cases[0]?.criteria?.statements).toMatchObject([{ text: 'It matches' }])
    expect(beside.issues).toMatchObject([{ severity: 'warning' }])
  })
})

test.each([
  [{ type: 'regex', text: 'a+' }, 'a check of this type needs "pattern"'],
  [{ type: 'matches', pattern: 'a+', file: 'out.txt' }, 'matches is no check of such a file'],
  [{ type: 'contains', value: 'x', file: 'out/*.txt' }, 'contains is no check of such a file'],
  [{ type: 'contains' }, 'a check of this type needs "value"'],
  [{ type: 'magic' }, 'unknown type "magic"'],
])('%j is refused: %s', (expectation, message) => {
  const { cases, issues } = read({ expectations: [expectation] })
  expect(issues).toMatchObject([{ severity: 'error', message: expect.stringContaining(message) }])
  expect(cases[0]?.checks ?? []).toEqual([])
})

test('a sentence beside a check that there is not is for the judge, with what else is there', () => {
  const expectation = { type: 'matches', pattern: 'a+', file: 'out.txt', text: 'It has a.' }
  const { cases } = read({ expectations: [expectation] })
  expect(cases[0]?.checks).toEqual([])
  expect(JSON.stringify(cases)).toContain(JSON.stringify('It has a. (file out.txt: "a+")').slice(1, -1))
})
