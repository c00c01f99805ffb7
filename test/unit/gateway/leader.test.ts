import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { createLeader } from '../../../src/gateway/leader.ts'

afterEach(() => {
  vi.useRealTimers()
})

test('one goes first, and all others once its answer has begun', async () => {
  const leader = createLeader()
  const { signal } = new AbortController()
  const entered: number[] = []
  const first = await leader.enter(signal)
  const rest = [1, 2, 3].map(async (n) => {
    const turn = await leader.enter(signal)
    entered.push(n)
    return turn
  })
  await nextTurn()
  expect(entered).toEqual([])
  first.begun()
  first.over()
  await Promise.all(rest)
  expect(entered).toEqual([1, 2, 3])
  await leader.enter(signal)
})

test('one that gets no answer lets the next one lead', async () => {
  const leader = createLeader()
  const { signal } = new AbortController()
  const entered: number[] = []
  const first = await leader.enter(signal)
  const [second, third] = [1, 2].map(async (n) => {
    const turn = await leader.enter(signal)
    entered.push(n)
    return turn
  })
  first.over()
  await nextTurn()
  expect(entered).toEqual([1])
  ;(await second)?.over()
  await third
  expect(entered).toEqual([1, 2])
})

test('one that is called off while it waits is forgotten', async () => {
  const leader = createLeader()
  const stop = new AbortController()
  const first = await leader.enter(stop.signal)
  const waiting = leader.enter(stop.signal)
  stop.abort(new Error('stopped'))
  await expect(waiting).rejects.toThrow('stopped')
  first.over()
  await leader.enter(new AbortController().signal)
})

test('an answer that does not begin holds the others up for a while only', async () => {
  vi.useFakeTimers()
  const leader = createLeader()
  const { signal } = new AbortController()
  await leader.enter(signal)
  const waiting = Promise.all([leader.enter(signal), leader.enter(signal)])
  await vi.advanceTimersByTimeAsync(30_000)
  await waiting
})
