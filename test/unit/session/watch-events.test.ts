import { expect, test } from 'vitest'
import { watchEvents } from '../../../src/session/watch-events.ts'
import type { StreamReader } from '../../../src/engines/stream.ts'
import type { UnnumberedEvent } from '../../../src/transcript/transcript.ts'

/** An engine whose lines are what its agent says, separated by commas. */
const reader: Pick<StreamReader, 'line'> = { line: (text) => text.split(',').map(say) }

function say(text: string): UnnumberedEvent {
  return { kind: 'message', agent: null, text }
}

const textsOf = (events: readonly UnnumberedEvent[]): readonly string[] =>
  events.flatMap((event) => (event.kind === 'message' || event.kind === 'notice' ? [event.text] : []))

test('what follows the event that decides is left out, and the run is ended once all is settled', async () => {
  let settle = (): void => undefined
  const settled = new Promise<void>((resolve) => (settle = resolve))
  const seen = watchEvents(
    reader,
    (event) => event.kind === 'message' && event.text === 'hit',
    () => settled,
  )
  seen.line('a')
  expect(seen.isOver()).toBe(false)
  seen.line('b,hit,c')
  seen.line('hit')
  expect([seen.isOver(), seen.stop.aborted]).toEqual([true, false])
  const stopped = new Promise((resolve) => seen.stop.addEventListener('abort', resolve, { once: true }))
  settle()
  await stopped
  expect(textsOf(seen.events)).toEqual([
    'a',
    'b',
    'hit',
    'The run was ended here, because later events cannot change its result.',
  ])
})

test('without such an event the run goes on to its end', () => {
  const seen = watchEvents(
    reader,
    () => false,
    () => Promise.resolve(),
  )
  seen.line('a,b')
  seen.line('c')
  expect([textsOf(seen.events), seen.isOver(), seen.stop.aborted]).toEqual([['a', 'b', 'c'], false, false])
})
