import { writeFileSync } from 'node:fs'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { createRedactor } from '../../../src/gateway/redact.ts'
import { readTestRun, storeTestRun, type StoredTestRun } from '../../../src/case/stored-test-run.ts'
import { agentRun } from '../../support/agent-run.ts'

const SECRET = 'a-very-secret-value'
const redactor = createRedactor({ MY_TOKEN: SECRET })
const judge = { hash: { criteria: 'k', prompt: 'p', model: 'm' }, answers: [] }

function storedRun(text: string): StoredTestRun {
  const run = agentRun({ output: text }, [{ kind: 'message', agent: null, text }])
  return { run, files: [{ name: 'a.txt', text: 'a' }], source: 'live', recorded: null, notices: ['odd'], judges: [] }
}

test('a run comes back as it was, with what judges have said since', async () => {
  await using folder = await createFixture()
  const stored = storedRun('Hello')
  const [event] = stored.run.transcript
  writeFileSync(folder.getPath('transcript.jsonl'), `${JSON.stringify(event)}\n`)
  const store = storeTestRun(folder.path, stored, redactor)
  expect(await store.write()).toBe(true)
  expect(readTestRun(folder.path)).toEqual(stored)
  await store.add(null)
  await store.add(judge)
  expect(readTestRun(folder.path)).toEqual({ ...stored, judges: [judge] })
})

test.for([
  ['in which something is secret', storedRun(`Hello ${SECRET}`)],
  ['that is large', storedRun('x'.repeat(5 * 1024 ** 2))],
] as const)('a run %s is not kept', async ([, stored]) => {
  await using folder = await createFixture()
  expect(await storeTestRun(folder.path, stored, redactor).write()).toBe(false)
  expect(readTestRun(folder.path)).toBe(null)
})

test('a folder that is gone or holds something else has no run', async () => {
  await using folder = await createFixture({ 'run.json': '{', 'transcript.jsonl': '' })
  expect([readTestRun(folder.path), readTestRun(folder.getPath('absent'))]).toEqual([null, null])
})
