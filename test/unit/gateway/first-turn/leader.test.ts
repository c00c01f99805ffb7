import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { createLeader, type Lead, type Leader } from '../../../../src/gateway/first-turn/leaders.ts'

const { signal } = new AbortController()

afterEach(() => {
  vi.useRealTimers()
})

/** Those that come after the first one, and the numbers of those that were let in. */
function follow(
  leader: Leader,
  count: number,
): { readonly entered: readonly number[]; readonly turns: readonly Promise<Lead>[] } {
  const entered: number[] = []
  const turns = Array.from({ length: count }, async (_, index) => {
    const turn = await leader.enter(signal)
    entered.push(index + 1)
    return turn
  })
  return { entered, turns }
}

test('one goes first, and all others once its answer has begun', async () => {
  const leader = createLeader(8)
  const first = await leader.enter(signal)
  const { entered, turns: rest } = follow(leader, 3)
  await nextTurn()
  expect(entered).toEqual([])
  first.begun()
  first.over()
  await Promise.all(rest)
  expect(entered).toEqual([1, 2, 3])
  await leader.enter(signal)
})

test('one that gets no answer lets the next one lead', async () => {
  const leader = createLeader(8)
  const first = await leader.enter(signal)
  const {
    entered,
    turns: [second, third],
  } = follow(leader, 2)
  first.over()
  await nextTurn()
  expect(entered).toEqual([1])
  ;(await second)?.over()
  await third
  expect(entered).toEqual([1, 2])
})

test('one that is called off while it waits is forgotten', async () => {
  const leader = createLeader(8)
  const stop = new AbortController()
  const first = await leader.enter(stop.signal)
  const waiting = leader.enter(stop.signal)
  stop.abort(new Error('stopped'))
  await expect(waiting).rejects.toThrow('stopped')
  first.over()
  await leader.enter(new AbortController().signal)
})

test('where no answer begins for long, as many ask as sessions would, and no more', async () => {
  vi.useFakeTimers()
  const leader = createLeader(2)
  const first = await leader.enter(signal)
  const { entered, turns: rest } = follow(leader, 3)
  await vi.advanceTimersByTimeAsync(30_000)
  expect(entered).toEqual([1])
  await vi.advanceTimersByTimeAsync(300_000)
  expect(entered).toEqual([1])
  first.over()
  await vi.advanceTimersByTimeAsync(0)
  expect(entered).toEqual([1, 2])
  ;(await rest[0])?.begun()
  await Promise.all(rest)
})

test('a cache that was not read for some minutes is filled by one again', async () => {
  let minutes = 0
  const leader = createLeader(8, () => minutes * 60_000)
  const first = await leader.enter(signal)
  first.begun()
  minutes = 3
  const later = await leader.enter(signal)
  later.begun()
  minutes = 6
  await Promise.all([leader.enter(signal), leader.enter(signal)])
  minutes = 12
  const entered: string[] = []
  const again = await leader.enter(signal)
  const waiting = leader.enter(signal).then(() => entered.push('next'))
  await nextTurn()
  expect(entered).toEqual([])
  again.begun()
  await waiting
})
