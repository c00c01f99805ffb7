import { expect, test } from 'vitest'
import { hashCase, type AskedCase } from '../../../../src/case/plan/plan-case.ts'

const at = { line: 1, column: 1 }
const asked: Extract<AskedCase, { kind: 'task' }> = {
  kind: 'task',
  prompt: 'Extract all text',
  criteria: { text: 'All of it.\n', at },
  checks: [
    { kind: 'contains', value: 'Hello', at },
    { kind: 'agent-blocked', value: false, at },
  ],
  files: [{ from: '/repo/evals/fixtures/a.pdf', to: 'fixtures/a.pdf', at }],
  workspaceFiles: [{ to: 'src/app.ts', from: null, content: 'x', at }],
}

function changed(other: Partial<typeof asked>): readonly string[] {
  const after = new Map(hashCase({ ...asked, ...other }).map(({ role, hash }) => [role, hash]))
  return hashCase(asked)
    .filter(({ role, hash }) => after.get(role) !== hash)
    .map(({ role }) => role)
}

test('each part of what a case asks has a hash of its own', () => {
  expect(hashCase(asked).map(({ role }) => role)).toEqual(['prompt', 'checks', 'workspace', 'criteria', 'judge-prompt'])
  expect(changed({ prompt: 'Extract it' })).toEqual(['prompt'])
  expect(changed({ answers: [{ question: null, answer: ['Yes'] }] })).toEqual(['prompt'])
  expect(changed({ criteria: { text: 'Half of it.', at } })).toEqual(['criteria'])
  expect(changed({ checks: [] })).toEqual(['checks'])
  expect(changed({ files: [] })).toEqual(['workspace'])
  expect(changed({ workspaceFiles: [{ to: 'src/app.ts', from: null, content: 'y', at }] })).toEqual(['workspace'])
  expect(changed({ criteria: null })).toEqual(['criteria', 'judge-prompt'])
})

test('where a part stands in the file, and white space around criteria, change nothing', () => {
  const below = { line: 40, column: 3 }
  expect(
    changed({
      criteria: { text: 'All of it.', at: below },
      checks: asked.checks.map((check) => ({ ...check, at: below })).toReversed(),
    }),
  ).toEqual([])
})
