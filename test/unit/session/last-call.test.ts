import { expect, test } from 'vitest'
import { codex } from '../../../src/engines/codex/engine.ts'
import { untilAnswered, untilLastCall, withModelIds } from '../../../src/session/watch-events.ts'
import { agentThread, call, conversationOf, mainThread, turnOf } from '../../support/recorded-conversation.ts'
import type { UnnumberedEvent } from '../../../src/transcript/transcript.ts'

function called(id: string, agent: string | null = null): UnnumberedEvent {
  return { kind: 'tool-call', agent, id, tool: 'Skill', input: null }
}

const first = turnOf({ says: [call('t1', 'Bash', { command: 'ls' })] })
const second = turnOf({ says: [call('t2', 'Skill', { skill: 'notes' }), call('t3', 'Bash', { command: 'ls' })] })
const third = turnOf({})
const helper = agentThread('Help.', turnOf({}))

test('what the main thread went on to ask is cut off, with who was refused', () => {
  const whole = { ...conversationOf(mainThread(first, second, third), helper), unanswered: ['request 3'] }
  expect(untilLastCall(whole, [called('t1'), called('t2'), called('a1', 'helper#t2')])).toEqual(
    conversationOf(mainThread(first, second), helper),
  )
})

test('nothing is cut where no call can be found', () => {
  const whole = conversationOf(mainThread(first, third))
  expect(untilLastCall(whole, [])).toEqual(whole)
  expect(untilLastCall(whole, [called('t9')])).toEqual(whole)
})

test('the answer that asked for the last call is waited for', async () => {
  const observed = [conversationOf(mainThread(first)), conversationOf(mainThread(first, second)), conversationOf()]
  const events = [called('t1'), called('t2')]
  await untilAnswered({ conversation: () => Promise.resolve(observed.shift() ?? conversationOf()) }, () => events)
  expect(observed).toHaveLength(1)
})

test('calls of an engine that numbers them itself are known by the ids of the model', () => {
  const observed = conversationOf(
    mainThread(
      turnOf({ says: [call('t1', 'exec_command', { cmd: 'ls' })] }),
      turnOf({ says: [call('t2', 'exec_command', { cmd: 'ls' }), call('t3', 'exec_command', { cmd: 'pwd' })] }),
    ),
  )
  const ls = (id: string): UnnumberedEvent => {
    return { kind: 'tool-call', agent: null, id, tool: 'Bash', input: { command: 'ls' } }
  }
  const events = withModelIds(codex, [ls('item_1'), ls('item_2')], observed)
  expect(events).toEqual([ls('t1'), ls('t2')])
  expect(untilLastCall(observed, events)).toEqual(observed)
})
