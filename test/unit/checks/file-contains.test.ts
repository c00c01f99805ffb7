import { expect, test } from 'vitest'
import type { SeenFile } from '../../../src/checks/check.ts'
import { runChecks } from '../../../src/checks/checks.ts'
import { agentRun } from '../../support/agent-run.ts'

const FILES: Readonly<Record<string, SeenFile>> = {
  'out/a.md': { text: 'one two  three\n' },
  'b/a.md': { text: '' },
  'out/image.png': { text: null },
  'out/link.md': 'unknown',
}

function outcome(kind: 'file-contains' | 'file-not-contains', value: string, created = ['out/a.md']): string {
  const files = { created: created.map((path) => ({ path, size: 1, hash: 'h' })), modified: [], deleted: [] }
  const run = agentRun({ files: { ...files, unreadable: [] } })
  const read = (path: string): SeenFile => FILES[path] ?? 'missing'
  const check = { kind, value, text: 'two', at: { line: 1, column: 1 } }
  const [result] = runChecks([check], run, null, { read, found: new Map() })
  return result?.message === '' ? result.outcome : `${result?.outcome}: ${result?.message}`
}

test('a text is looked for in the file, whose plain name may be that of one file that the run wrote', () => {
  expect(outcome('file-contains', 'out/a.md')).toBe('passed')
  expect(outcome('file-contains', 'a.md')).toBe('passed')
  expect(outcome('file-not-contains', 'a.md')).toBe('failed: out/a.md contains "two".')
  expect(outcome('file-contains', 'b/a.md')).toBe('failed: b/a.md does not contain "two".')
  expect(outcome('file-not-contains', 'b/a.md')).toBe('passed')
})

test('a missing file contains no text, and nothing shows what else it would contain', () => {
  expect(outcome('file-contains', 'out/c.md')).toBe('failed: out/c.md does not exist.')
  expect(outcome('file-not-contains', 'out/c.md')).toContain('errored')
})

test.for([
  ['c.md', ['out/a.md'], 'a plain name may lie anywhere in what the run did not touch'],
  ['a.md', ['out/a.md', 'b/a.md'], 'two files have the name'],
  ['out/link.md', ['out/a.md'], 'it could not be read'],
  ['out/image.png', ['out/a.md'], 'it is no text'],
] as const)('what %s contains is unknown: %s', ([value, created, _why]) => {
  const message = `errored: What the run shows of ${value} does not decide it.`
  expect(outcome('file-contains', value, [...created])).toBe(message)
  expect(outcome('file-not-contains', value, [...created])).toBe(message)
})
