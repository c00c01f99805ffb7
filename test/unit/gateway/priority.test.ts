import { expect, test } from 'vitest'
import { createPriority } from '../../../src/gateway/pace.ts'

const never = (): AbortSignal => new AbortController().signal

test('runs that come first do not wait, and the others wait until those are over', async () => {
  const priority = createPriority()
  const order: string[] = []
  const enter = async (name: string): Promise<void> => {
    await priority.turnOf(name, never())
    order.push(name)
  }
  await enter('b-before')
  priority.begin((caseId) => caseId.startsWith('a'))
  const waiting = enter('b')
  await enter('a')
  priority.begin((caseId) => caseId.startsWith('c'))
  await enter('c')
  priority.end()
  await waiting
  expect(order).toEqual(['b-before', 'a', 'c', 'b'])
})

test('who waits and is stopped leaves', async () => {
  const priority = createPriority()
  priority.begin(() => false)
  const stop = new AbortController()
  const waiting = priority.turnOf('a', stop.signal)
  stop.abort(new Error('stopped'))
  await expect(waiting).rejects.toThrow('stopped')
})
