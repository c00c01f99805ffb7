import { expect, test } from 'vitest'
import { createLimit } from '../../../src/gateway/pace.ts'

const never = (): AbortSignal => new AbortController().signal

test('lets in as many as there are places, the others in the order they came', async () => {
  const limit = createLimit(2)
  const order: string[] = []
  const enter = async (name: string): Promise<() => void> => {
    const leave = await limit.enter(never())
    order.push(name)
    return leave
  }
  const [first] = await Promise.all([enter('a'), enter('b')])
  const third = enter('c')
  const fourth = enter('d')
  expect([limit.running, limit.waiting]).toEqual([2, 2])
  first?.()
  const leaveThird = await third
  expect(order).toEqual(['a', 'b', 'c'])
  leaveThird()
  await fourth
  expect([order, limit.peak]).toEqual([['a', 'b', 'c', 'd'], 2])
})

test('a place that is given back twice counts once', async () => {
  const limit = createLimit(1)
  const leave = await limit.enter(never())
  leave()
  leave()
  expect(limit.running).toBe(0)
})

test('who gives up while waiting loses the place in the queue', async () => {
  const limit = createLimit(1)
  const leave = await limit.enter(never())
  const impatient = new AbortController()
  const waiting = limit.enter(impatient.signal)
  const next = limit.enter(never())
  impatient.abort(new Error('gone'))
  await expect(waiting).rejects.toThrow('gone')
  leave()
  await next
  expect([limit.running, limit.waiting]).toEqual([1, 0])
})

test('who gave up before asking is not let in', async () => {
  const limit = createLimit(1)
  await expect(limit.enter(AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone')
  expect(limit.running).toBe(0)
})
