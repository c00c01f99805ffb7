import { expect, test } from 'vitest'
import { mergeEvents } from '../../../../src/engines/codex/merge-events.ts'
import type { ObservedStep } from '../../../../src/engines/engine.ts'
import type { JsonValue } from '../../../../src/json.ts'
import type { UnnumberedEvent } from '../../../../src/transcript/transcript.ts'

function message(text: string): UnnumberedEvent & ObservedStep {
  return { kind: 'message', agent: null, text }
}

function ran(id: string, command: string, text = ''): readonly UnnumberedEvent[] {
  return [
    { kind: 'tool-call', agent: null, id, tool: 'Bash', input: { command } },
    { kind: 'tool-result', agent: null, id, text, isError: false, blockedBy: null },
  ]
}

function observed(id: string, tool: string, input: JsonValue, text = 'Output:\n', isError = false): ObservedStep {
  return { kind: 'call', agent: null, id, tool, input, result: { text, isError } }
}

function words(events: readonly UnnumberedEvent[]): readonly string[] {
  return events.map((event) => {
    if (event.kind === 'tool-call') return `${event.id} ${event.tool} ${JSON.stringify(event.input)}`
    if (event.kind === 'tool-result') return `${event.id} ${event.blockedBy ?? (event.isError ? 'error' : 'result')}`
    return event.kind === 'skill-used' ? `skill ${event.skill}` : event.kind
  })
}

test('calls that were refused are put where they were made, and calls get the ids that hooks know', () => {
  const events = [message('A.'), ...ran('item_1', 'ls'), ...ran('item_2', 'ls'), message('B.')]
  const steps = [
    message('A.'),
    observed('c1', 'exec_command', { cmd: 'ls' }),
    observed('c2', 'exec_command', { cmd: 'echo x' }, 'Command blocked by PreToolUse hook: no. Command: echo x', true),
    observed('c3', 'apply_patch', '*** Begin Patch', 'patch rejected: writing outside of the project', true),
    observed('c4', 'exec_command', { cmd: 'ls' }),
    observed('c5', 'Bash', { command: 'ls' }, 'unsupported call: Bash', true),
    message('B.'),
  ]
  expect(words(mergeEvents(events, { steps, shown: [] }))).toEqual([
    'message',
    'c1 Bash {"command":"ls"}',
    'c1 result',
    'c2 Bash {"command":"echo x"}',
    'c2 hook',
    'c3 apply_patch {"command":"*** Begin Patch"}',
    'c3 permission',
    'c4 Bash {"command":"ls"}',
    'c4 result',
    'c5 Bash {"command":"ls"}',
    'c5 error',
    'message',
  ])
})

test('parallel calls have the ids of the model, whichever began first', () => {
  const [cat, catEnd] = ran('item_1', 'cat a')
  const [list, listEnd] = ran('item_2', 'ls')
  const steps = [observed('c1', 'exec_command', { cmd: 'ls' }), observed('c2', 'exec_command', { cmd: 'cat a' })]
  const events = [cat!, list!, catEnd!, listEnd!]
  expect(words(mergeEvents(events, { steps, shown: [] }))).toEqual([
    'c2 Bash {"command":"cat a"}',
    'c1 Bash {"command":"ls"}',
    'c2 result',
    'c1 result',
  ])
})

test('a server has dashes in the stream, and none for the model', () => {
  const events: readonly UnnumberedEvent[] = [
    { kind: 'tool-call', agent: null, id: 'item_1', tool: 'mcp__pdf-info__page_count', input: {} },
  ]
  const steps = [observed('c1', 'mcp__pdf_info.page_count', {})]
  expect(words(mergeEvents(events, { steps, shown: [] }))[0]).toBe('c1 mcp__pdf-info__page_count {}')
})

test('what a script did stands inside of it, with what was refused there', () => {
  const events = [...ran('item_1', 'cat a'), message('B.')]
  const output = 'Script completed\nOutput:\nCommand blocked by PreToolUse hook: no. Command: echo x'
  const steps = [observed('c1', 'exec', 'await tools.exec_command({cmd:"cat a"})', output), message('B.')]
  expect(words(mergeEvents(events, { steps, shown: [] }))).toEqual([
    'c1 exec {"input":"await tools.exec_command({cmd:\\"cat a\\"})"}',
    'item_1 Bash {"command":"cat a"}',
    'item_1 result',
    'c1/1 Bash {"command":"echo x"}',
    'c1/1 hook',
    'c1 result',
    'message',
  ])
})

test('sub-agents follow with what they did, and a skill that the prompt named was used', () => {
  const steps: readonly ObservedStep[] = [
    observed('c1', 'multi_agent_v1.spawn_agent', { message: 'Look.' }, '{"agent_id":"x"}'),
    { ...observed('s1', 'exec_command', { cmd: 'cat skills/pdf/SKILL.md' }), agent: 'critic#c1' },
    { kind: 'message', agent: 'critic#c1', text: 'Fine.' },
  ]
  expect(words(mergeEvents([], { steps, shown: ['<skill>\n<name>greet</name>\nbody</skill>'] }))).toEqual([
    'skill greet',
    'c1 spawn_agent {"message":"Look."}',
    'c1 result',
    's1 Bash {"command":"cat skills/pdf/SKILL.md"}',
    's1 result',
    'skill pdf',
    'message',
  ])
})

test('what a call came to is taken from the requests where the stream does not say', () => {
  const [background] = ran('item_1', 'tail -f a')
  const [wait] = ran('item_2', '')
  const events: readonly UnnumberedEvent[] = [
    background!,
    { ...wait!, tool: 'wait_agent', input: { prompt: null } } as UnnumberedEvent,
    { kind: 'tool-result', agent: null, id: 'item_2', text: '', isError: false, blockedBy: null },
    ...ran('item_3', 'true'),
  ]
  const steps = [
    observed('c1', 'exec_command', { cmd: 'tail -f a' }, 'Process running with session ID 7'),
    observed('c2', 'multi_agent_v1.wait_agent', { targets: ['x'] }, '{"x":{"completed":"Fine."}}'),
    observed('c3', 'exec_command', { cmd: 'true' }, 'Process exited with code 0\nOutput:\n'),
  ]
  const woven = mergeEvents(events, { steps, shown: [] })
  expect(woven.flatMap((event) => (event.kind === 'tool-result' ? [[event.id, event.text]] : []))).toEqual([
    ['c1', 'Process running with session ID 7'],
    ['c2', '{"x":{"completed":"Fine."}}'],
    ['c3', ''],
  ])
  expect(words(woven)).toHaveLength(6)
})

test('a sub-agent’s command is told as the main thread’s is', () => {
  const step = {
    ...observed('s1', 'exec_command', { cmd: 'ls' }, 'Process exited with code 1\nOutput:\nno\n'),
    agent: 'a#c1',
  }
  expect(mergeEvents([], { steps: [step], shown: [] })).toMatchObject([
    { kind: 'tool-call' },
    { kind: 'tool-result', text: 'no\n' },
  ])
})

test('without anything heard the stream stays as it is', () => {
  const events = [...ran('item_1', 'ls'), message('B.')]
  expect(mergeEvents(events, { steps: [], shown: [] })).toEqual(events)
})
