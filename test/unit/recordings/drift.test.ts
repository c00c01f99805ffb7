import { describe, expect, test } from 'vitest'
import { withUnstableLines } from '../../../src/recordings/build.ts'
import { dayWords } from '../../../src/recordings/kept-lines.ts'
import { findDrift as findDriftInForm, type Drift } from '../../../src/recordings/drift.ts'
import type { Conversation } from '../../../src/recordings/conversation.ts'
import type { Recording } from '../../../src/recordings/recording.ts'
import {
  agentThread,
  call,
  conversationOf,
  FORM,
  mainThread,
  ours,
  record,
  turnOf,
} from '../../support/recorded-conversation.ts'

/** A run with one command, which printed this. */
function printed(text: string, isError = false): Conversation {
  const says = [call('t1', 'Bash', { command: 'sh extract.sh' })]
  return conversationOf(mainThread(turnOf({ says }), turnOf({ results: [{ id: 't1', text, isError }] })))
}

function recordedOf(...texts: readonly [string, ...string[]]): Recording {
  const [first, ...others] = texts
  return others.reduce(
    (recording, text) => withUnstableLines(recording, printed(text), FORM),
    record(printed(first), ours({})),
  )
}

function findDrift(recording: Recording, observed: Conversation, sameEngine: boolean): readonly Drift[] {
  return findDriftInForm(recording, observed, sameEngine, FORM)
}

describe('a tool result', () => {
  test('that is the same has not drifted, whatever the engine adds in reminders', () => {
    expect(
      findDrift(recordedOf('a\nb'), printed('a\nb\n<system-reminder>It is late.</system-reminder>'), true),
    ).toEqual([])
  })

  test.for([
    ['another line', 'a\nc', { line: 2, recorded: 'b', now: 'c' }],
    ['a line more', 'a\nb\nc', { line: 3, recorded: 'no such line', now: 'c' }],
    ['a line less', 'a', { line: 2, recorded: 'b', now: 'no such line' }],
    ['nothing', '', { line: 1, recorded: 'a', now: 'no such line' }],
  ] as const)('has drifted: %s', ([, text, difference]) => {
    expect(findDrift(recordedOf('a\nb'), printed(text), true)).toEqual([
      { call: 'Bash (sh extract.sh)', ...difference },
    ])
  })

  test('has drifted when its error flag differs, even if every line is unstable', () => {
    expect(findDrift(recordedOf('a', 'b'), printed('c', true), true)).toEqual([
      { call: 'Bash (sh extract.sh)', line: null, recorded: 'no error: a', now: 'an error: c' },
    ])
  })

  test('has drifted behind the first 2 KB too', () => {
    const long = `${'a line of some length\n'.repeat(200)}end`
    expect(recordedOf(long).lanes[0]?.turns[1]?.results[0]?.lines).toHaveLength(93)
    expect(findDrift(recordedOf(long), printed(long), true)).toEqual([])
    expect(findDrift(recordedOf(long), printed(long.replace('end', 'END')), true)).toMatchObject([
      { recorded: 'the text after the first 2 KB', now: 'different text' },
    ])
    expect(findDrift(recordedOf(long, long.replace('end', 'eNd')), printed(long.replace('end', 'END')), true)).toEqual(
      [],
    )
  })

  test('has drifted when it is missing', () => {
    const says = [call('t1', 'Bash', { command: 'sh extract.sh' })]
    expect(findDrift(recordedOf('a'), conversationOf(mainThread(turnOf({ says }), turnOf({}))), true)).toEqual([
      { call: 'Bash (sh extract.sh)', line: null, recorded: 'a', now: 'no result' },
    ])
  })
})

describe('a line that proved unstable', () => {
  test('may be anything, the others may not', () => {
    const recording = recordedOf('title\n10:00:01\nend', 'title\n10:00:02\nend')
    expect(findDrift(recording, printed('title\n23:59:59\nend'), true)).toEqual([])
    expect(findDrift(recording, printed('Title\n23:59:59\nend'), true)).toMatchObject([{ line: 1 }])
  })

  test('may come and go when their number varies', () => {
    const recording = recordedOf('start\na\nb\nend', 'start\nc\nend')
    expect(recording.lanes[0]?.turns[1]?.results).toMatchObject([{ unstable: [2, 3], varies: true }])
    expect(findDrift(recording, printed('start\nx\ny\nz\nend'), true)).toEqual([])
    expect(findDrift(recording, printed('start\nx\ny\nz'), true)).toMatchObject([{ line: 4, recorded: 'end' }])
  })

  test('is one that holds the day on which it was recorded', () => {
    const recording = record(printed('made on 2026-11-22\nby a script'), ours({}))
    expect(findDrift(recording, printed('made on 2027-01-01\nby a script'), true)).toEqual([])
    expect(dayWords(new Date('2026-11-05T12:00:00Z'))).toEqual([
      '2026-11-05',
      '2026/11/05',
      '20261105',
      'Nov 5, 2026',
      'Nov 05 ',
      'Nov  5 ',
      '05 Nov 2026',
      '5 Nov 2026',
    ])
  })
})

describe('sub-agents that were given the same', () => {
  const says = [call('t1', 'Agent', { prompt: 'Look.' }), call('t2', 'Agent', { prompt: 'Look.' })]
  const run = (first: string, second: string): Conversation =>
    conversationOf(
      mainThread(
        turnOf({ says }),
        turnOf({
          results: [
            { id: 't1', text: first, isError: false },
            { id: 't2', text: second, isError: false },
          ],
        }),
      ),
      agentThread('Look.', turnOf({})),
      agentThread('Look.', turnOf({})),
    )

  test('may answer in any order, but not something else', () => {
    const recording = record(run('one', 'two'), ours({}))
    expect(findDrift(recording, run('two', 'one'), true)).toEqual([])
    expect(findDrift(recording, run('two', 'two'), true)).toHaveLength(1)
  })

  test('are handed back in the words of another version, which do not count', () => {
    const recording = record(run('Report: one', 'Report: two'), ours({}))
    expect(findDrift(recording, run('[hand-back] one', '[hand-back] two'), false)).toEqual([])
    expect(findDrift(recording, run('[hand-back] one', '[hand-back] two'), true)).toHaveLength(2)
  })
})
