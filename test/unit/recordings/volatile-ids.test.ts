import { expect, test } from 'vitest'
import { withVolatileIds } from '../../../src/gateway/sources/source.ts'
import { trafficOf } from '../../../src/engines/registry.ts'
import { nameVolatileIds } from '../../../src/recordings/conversation.ts'
import { call, conversationOf, mainThread, turnOf } from '../../support/recorded-conversation.ts'
import type { ModelRequest } from '../../../src/recordings/messages.ts'

const TRAFFIC = trafficOf()

function resultOf(id: string, text: string): Pick<ModelRequest, 'messages'> {
  return { messages: [{ role: 'user', parts: [{ kind: 'tool-result', id, text, isError: false }] }] }
}

test('an id that is new in every run is recorded by the call that told it, and found again', () => {
  const spawned = { id: 'c1', text: '{"agent_id":"01a2-77","nickname":"Pascal"}', isError: false }
  const running = { id: 'c2', text: 'Process running with session ID 18917', isError: false }
  const conversation = conversationOf(
    mainThread(
      turnOf({ says: [call('c1', 'spawn_agent', {}), call('c2', 'exec_command', { cmd: 'sleep 9' })] }),
      turnOf({
        results: [spawned, running],
        says: [call('c3', 'wait_agent', { targets: ['01a2-77'] }), call('c4', 'write_stdin', { session_id: 18917 })],
      }),
    ),
  )
  const answer = nameVolatileIds(conversation, TRAFFIC).threads[0]?.turns[1]?.answer?.content ?? []
  expect(answer).toEqual([
    call('c3', 'wait_agent', { targets: ['⟨id@c1⟩'] }),
    call('c4', 'write_stdin', { session_id: '⟨id@c2⟩' }),
  ])
  expect(withVolatileIds(answer[0], resultOf('c1', '{"agent_id":"9f-1"}'), TRAFFIC)).toEqual(
    call('c3', 'wait_agent', { targets: ['9f-1'] }),
  )
  expect(withVolatileIds(answer[1], resultOf('c2', 'Process running with session ID 7'), TRAFFIC)).toEqual(
    call('c4', 'write_stdin', { session_id: 7 }),
  )
})

test('a scenario names the latest id of all', () => {
  expect(withVolatileIds({ targets: ['${LAST_ID}'] }, resultOf('x', '{"agent_id":"9f-1"}'), TRAFFIC)).toEqual({
    targets: ['9f-1'],
  })
  expect(withVolatileIds({ targets: ['${LAST_ID}'] }, { messages: [] }, TRAFFIC)).toEqual({ targets: ['${LAST_ID}'] })
})
