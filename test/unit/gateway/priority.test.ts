import { expect, test } from 'vitest'
import { createPrecedence } from '../../../src/gateway/priority.ts'

const never = (): AbortSignal => new AbortController().signal

test('runs that come first do not wait, and the others wait until those are over', async () => {
  const precedence = createPrecedence()
  const order: string[] = []
  const enter = async (name: string): Promise<void> => {
    await precedence.turnOf(name, never())
    order.push(name)
  }
  await enter('b-before')
  precedence.begin((caseId) => caseId.startsWith('a'))
  const waiting = enter('b')
  await enter('a')
  precedence.begin((caseId) => caseId.startsWith('c'))
  await enter('c')
  precedence.end()
  await waiting
  expect(order).toEqual(['b-before', 'a', 'c', 'b'])
})

test('who waits and is stopped leaves', async () => {
  const precedence = createPrecedence()
  precedence.begin(() => false)
  const stop = new AbortController()
  const waiting = precedence.turnOf('a', stop.signal)
  stop.abort(new Error('stopped'))
  await expect(waiting).rejects.toThrow('stopped')
})
