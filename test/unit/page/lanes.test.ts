import { expect, test } from 'vitest'
import { lanesAt, lanesOf } from '../../../src/page/case/events.ts'

const events = (agents: string): readonly { readonly agent: string | null }[] =>
  Array.from(agents, (agent) => ({ agent: agent === '-' ? null : agent }))

test('two sub-agents that work at the same time never share a column', () => {
  const twelve = events('-abcdefghijklabcdefghijkl-')
  const { lanes, columns } = lanesOf(twelve)
  expect(columns).toBe(12)
  expect(new Set([...lanes.values()].map(({ column }) => column)).size).toBe(12)
  expect([...lanes.values()].map(({ number }) => number)).toEqual(Array.from({ length: 12 }, (_, at) => at + 1))
})

test('one that starts after another one ended takes over its column, with a number of its own', () => {
  const { lanes, columns } = lanesOf(events('-aa-bb-cdc'))
  expect(columns).toBe(2)
  expect([...lanes.values()]).toEqual([
    { agent: 'a', number: 1, column: 1, from: 1, to: 2, events: 2 },
    { agent: 'b', number: 2, column: 1, from: 4, to: 5, events: 2 },
    { agent: 'c', number: 3, column: 1, from: 7, to: 9, events: 2 },
    { agent: 'd', number: 4, column: 2, from: 8, to: 8, events: 1 },
  ])
})

test('a lane is there from the first event of its sub-agent to the last, the main thread is always', () => {
  const all = events('-a-a-')
  const found = lanesOf(all)
  expect(all.map((_, index) => lanesAt(found, index).map((lane) => lane?.agent ?? null))).toEqual([
    [null],
    ['a'],
    ['a'],
    ['a'],
    [null],
  ])
  expect(lanesOf(events('---'))).toEqual({ lanes: new Map(), columns: 0 })
})
