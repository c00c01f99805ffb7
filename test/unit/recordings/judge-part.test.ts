import { expect, test } from 'vitest'
import {
  readJudgePart,
  withJudgePart,
  withJudgeParts,
  type RecordedJudge,
  type Recording,
} from '../../../src/recordings/recording.ts'
import type { SessionFolders } from '../../../src/recordings/paths.ts'

const foldersIn = (parent: string): SessionFolders => ({
  workspace: `${parent}/workspace`,
  parent: parent === '' ? '/' : parent,
  config: `${parent}/config`,
  home: `${parent}/home`,
  tmp: '/tmp',
  hooks: `${parent}/hooks`,
  package: `${parent}/package`,
  node: '/usr/bin/node',
  shim: `${parent}/shim.mjs`,
})

function quoting(text: string, model = 'a'): RecordedJudge {
  const verdicts = [{ n: 1, verdict: 'pass', reason: 'It was.', quote: text }]
  return { hash: { criteria: 'c', prompt: 'p', model }, answers: [{ model: null, verdicts, orders: [] }] }
}

const EMPTY = { judge: null } as Recording

test('a path that a judge quotes is that of the session in which it is read', () => {
  const sealed = foldersIn('')
  const open = foldersIn('/tmp/agent-evals-x')
  const judge = quoting('Write /workspace/a b/out.txt')
  const stored = withJudgePart(EMPTY, judge, sealed)
  expect(JSON.stringify(stored.judge)).toContain('Write ⟨workspace⟩/a b/out.txt')
  expect(readJudgePart(stored, judge.hash, open)).toEqual(quoting('Write /tmp/agent-evals-x/workspace/a b/out.txt'))
  expect(readJudgePart(stored, judge.hash, sealed)).toEqual(judge)
})

test('every judge of a test is stored so, and what was stored before is read as it is', () => {
  const sealed = foldersIn('')
  const judges = [quoting('/workspace/a', 'a'), quoting('/workspace/b', 'b')]
  const stored = withJudgeParts(EMPTY, judges, sealed)
  expect(JSON.stringify(stored)).not.toContain('"/workspace')
  expect(judges.map(({ hash }) => readJudgePart(stored, hash, sealed))).toEqual(judges)
  const old = withJudgePart(EMPTY, judges[0] ?? null)
  expect(readJudgePart(old, judges[0]?.hash ?? quoting('').hash, foldersIn('/tmp/x'))).toEqual(judges[0])
})
