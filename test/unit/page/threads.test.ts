import { expect, test } from 'vitest'
import { threadName, threadsOf } from '../../../src/page/case/events.ts'

test('sub-agents have a number each, in the order in which they start, and their events are counted', () => {
  const agents = [null, 'reviewer#b', 'reviewer#a', 'reviewer#b', null, 'tester']
  const threads = [...threadsOf(agents.map((agent) => ({ agent }))).values()]
  expect(threads).toEqual([
    { agent: 'reviewer#b', number: 1, events: 2 },
    { agent: 'reviewer#a', number: 2, events: 1 },
    { agent: 'tester', number: 3, events: 1 },
  ])
  expect(threads.map(threadName)).toEqual(['reviewer', 'reviewer', 'tester'])
  expect(threadName({ agent: '#a' })).toBe('#a')
})

test('a run without sub-agents has no threads', () => {
  expect(threadsOf([{ agent: null }]).size).toBe(0)
})
