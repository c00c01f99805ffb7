import { expect, test } from 'vitest'
import { parseTranscript } from '../../../../src/report/page/page-data.ts'

const MESSAGE = { n: 1, agent: null, kind: 'message', text: 'Hello' }

test('reads each event, and counts lines that are torn or unknown', () => {
  const lines = [JSON.stringify(MESSAGE), '{"n": 2, "kind": "mess', '{"n": 3, "agent": null, "kind": "dream"}', 'null']
  expect(parseTranscript(lines.join('\n'))).toEqual({ events: [MESSAGE], unreadable: 3 })
})

test('an event keeps no field that the page does not know, and a wrong value becomes unknown', () => {
  const line = { ...MESSAGE, agent: 7, html: '<b>' }
  expect(parseTranscript(JSON.stringify(line)).events).toEqual([MESSAGE])
  const hook = {
    n: 1,
    agent: null,
    kind: 'hook',
    event: 'stop',
    tool: 3,
    decision: 'allowed',
    exitCode: 'no',
    reason: {},
  }
  expect(parseTranscript(JSON.stringify(hook)).events).toEqual([{ ...hook, tool: null, exitCode: null, reason: '' }])
})

test('an empty transcript has no events', () => {
  expect(parseTranscript('')).toEqual({ events: [], unreadable: 0 })
})
