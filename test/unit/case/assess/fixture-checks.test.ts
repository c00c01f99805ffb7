import { expect, test } from 'vitest'
import { runChecks } from '../../../../src/checks/checks.ts'
import { changedFixtures, checksOf } from '../../../../src/case/assess/findings.ts'
import { agentRun } from '../../../support/agent-run.ts'
import type { FileChanges } from '../../../../src/transcript/transcript.ts'

const at = { line: 3, column: 5 }
const suite = { format: 'skill-evals' }
const evalCase = {
  checks: [],
  files: [
    { from: '/p/evals/a.md', to: 'a.md', at },
    { from: '/p/evals/folder', to: 'folder', at },
  ],
  workspaceFiles: [{ from: null, to: 'inline.md', content: 'x', at }],
}
const file = (path: string): FileChanges['created'][number] => ({ path, size: 1, hash: 'h' })

function left(files: Partial<FileChanges>): readonly [readonly string[], readonly string[]] {
  const run = agentRun({ files: { created: [], modified: [], deleted: [], unreadable: [], ...files } })
  const results = runChecks(checksOf(suite, evalCase, { readOnlyFixtures: true }), run, null)
  return [changedFixtures(suite, evalCase, run), results.map(({ outcome, message }) => message || outcome)]
}

test('a changed fixture is named, wherever it came from, and fails only with the option', () => {
  expect(checksOf(suite, evalCase, { readOnlyFixtures: false })).toEqual([])
  expect(checksOf({ format: 'aam' }, evalCase, { readOnlyFixtures: true })).toEqual([])
  expect(left({ created: [file('b.md'), file('folder/new.md')] })).toEqual([[], ['passed', 'passed', 'passed']])
  expect(left({ modified: [file('folder/b.md'), file('b.md')], deleted: ['inline.md'] })).toEqual([
    ['The run changed fixtures: folder/b.md, inline.md.'],
    [
      'passed',
      'expected the fixture folder to stay as it was but folder/b.md was changed',
      'expected the fixture inline.md to stay as it was but inline.md was deleted',
    ],
  ])
})

test('a fixture that could not be looked at is neither changed nor unchanged', () => {
  expect(
    left({ unreadable: [{ path: 'a.md', reason: 'is larger than 64 MiB', kind: 'unread', isNew: false }] })[1],
  ).toEqual([
    'expected the fixture a.md to stay as it was but that is unknown: a.md is larger than 64 MiB',
    'passed',
    'passed',
  ])
})
