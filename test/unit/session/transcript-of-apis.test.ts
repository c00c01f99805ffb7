import { describe, expect, test } from 'vitest'
import { stringOf, type JsonObject } from '../../../src/lib/json.ts'
import { build, chain, command, result, says, shown, words } from '../../support/built-transcript.ts'
import { conversationOf, mainThread, turnOf } from '../../support/recorded-conversation.ts'
import type { AnswerBlock } from '../../../src/recordings/messages.ts'

describe('what the API did itself', () => {
  const search = { type: 'server_tool_use', id: 'srv1', name: 'web_search', input: { query: 'cats' } }
  const found = {
    type: 'web_search_tool_result',
    tool_use_id: 'srv1',
    content: [{ type: 'web_search_result', title: 'Cats', url: 'https://cats.example/' }],
  }
  const other = (value: JsonObject): AnswerBlock => ({ kind: 'other', type: stringOf(value['type']), value })

  test('is in the transcript with what it found', () => {
    const turns = chain({ says: [other(search), other(found), says('Cats are fine.')] })
    const { events } = build('claude-code', conversationOf(mainThread(...turns)), [
      { kind: 'tool-call', agent: null, id: 'srv1', tool: 'web_search', input: { query: 'cats' } },
      shown.says('Cats are fine.'),
    ])
    expect(words(events)).toEqual([
      'srv1 web_search {"query":"cats"} [model]',
      'srv1 result Cats https://cats.example/ [model]',
      'says Cats are fine. [model]',
    ])
  })

  test('failed where the API says so', () => {
    const content = { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' }
    const turns = chain({ says: [other(search), other({ ...found, content }), says('No.')] })
    expect(words(build('claude-code', conversationOf(mainThread(...turns)), []).events)[1]).toBe(
      `srv1 error ${JSON.stringify(content)} [model]`,
    )
  })

  test('is the call that Codex numbers in its own way', () => {
    const searching = { type: 'web_search_call', id: 'ws_1', action: { type: 'search', query: 'cats' } }
    const turns = chain({ says: [other(searching), says('Cats are fine.')] })
    const { events } = build('codex', conversationOf(mainThread(...turns)), [
      { kind: 'tool-call', agent: null, id: 'item_1', tool: 'web_search', input: { query: 'cats' } },
      shown.result('item_1', ''),
      shown.says('Cats are fine.'),
    ])
    expect(words(events)).toEqual([
      'ws_1 web_search {"type":"search","query":"cats"} [model]',
      'ws_1 result  [model]',
      'says Cats are fine. [model]',
    ])
  })
})

test('a result that only a request for a summary carried was given to the model', () => {
  const main = mainThread(
    turnOf({ order: 0, after: null, says: [command('codex', 'c1', 'ls')] }),
    turnOf({ order: 2, after: 0, says: [says('Done.')] }),
  )
  const given = [result('c1', 'a.txt'), result('strange', 'no')]
  const compact = {
    thread: 'side:compact',
    given: null,
    turns: [turnOf({ order: 1, results: given, texts: ['<skill>\n<name>greet</name>'], says: [says('A summary.')] })],
  }
  const { events } = build('codex', conversationOf(main, compact), [
    shown.call('c1', 'ls'),
    shown.result('c1', 'b.txt'),
  ])
  expect(words(events)).toEqual([
    'c1 Bash {"command":"ls"} [model]',
    'c1 result a.txt [given to the model]',
    'says Done. [model]',
  ])
})
