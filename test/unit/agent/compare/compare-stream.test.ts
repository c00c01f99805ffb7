import { expect, test } from 'vitest'
import { compareStream, withModelInputs } from '../../../../src/agent/compare/compare-stream.ts'
import { requireEngine } from '../../../../src/engines/registry.ts'
import type { Conversation } from '../../../../src/conversation/conversation.ts'
import type { AnswerBlock } from '../../../../src/conversation/model.ts'
import type { UnnumberedEvent } from '../../../../src/transcript/transcript.ts'

const WORDS: UnnumberedEvent = { kind: 'message', agent: null, text: 'I read it.\n\nNow.' }
const CALL: UnnumberedEvent = {
  kind: 'tool-call',
  agent: null,
  id: 'a',
  tool: 'Read',
  input: { file_path: '/workspace/a.txt', limit: 10 },
}

function saw(...content: readonly AnswerBlock[]): Conversation {
  const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }
  const answer = { id: 'm', model: 'm', content, stopReason: 'tool-calls' as const, usage }
  const turn = { model: 'm', texts: [], offers: [], results: [], answer }
  return { threads: [{ thread: 'main', given: null, turns: [turn] }], unanswered: [] }
}

const SAID: AnswerBlock = { kind: 'text', text: 'I read it.\n\nNow. ' }
const CALLED: AnswerBlock = { kind: 'tool-call', id: 'a', name: 'Read', input: { file_path: '/workspace/a.txt' } }

function differ(events: readonly UnnumberedEvent[], conversation: Conversation, name = 'claude-code'): string | null {
  const agreement = requireEngine(name).streamAgreement
  if (agreement === undefined) throw new Error(`${name} is not compared`)
  const messages = events.flatMap((event) => (event.kind === 'message' && event.agent === null ? [event.text] : []))
  const words = { events, output: messages.join('\n\n'), finalMessage: messages.at(-1) ?? '' }
  return compareStream(agreement, words, conversation)
}

test('a stream agrees with the answers whatever the white space around them and defaults', () => {
  expect(differ([WORDS, CALL], saw(SAID, CALLED))).toBeNull()
})

const ALL = ['claude-code', 'codex', 'copilot'] as const

test.for(ALL)('words that no model said are named for %s', (name) => {
  const forged: UnnumberedEvent = { kind: 'message', agent: null, text: 'All tests pass.' }
  expect(differ([WORDS, forged], saw(SAID), name)).toBe(
    'The records of the session differ: the engine\'s stream has the message "All tests pass.", and no model answer contains it.',
  )
})

test.for(['claude-code', 'copilot'])('a call that no model made is named for %s', (name) => {
  expect(differ([CALL], saw(SAID), name)).toContain('a call of Read (a), and no model answer contains it')
})

test('another tool or input than the model called is named on both sides', () => {
  const other: AnswerBlock = { ...CALLED, input: { file_path: '/etc/passwd' } }
  expect(differ([CALL], saw(other))).toContain('"{\\"file_path\\":\\"/etc/passwd\\"}"')
  expect(differ([CALL], saw({ ...CALLED, name: 'Write' }))).toContain('the model call Write')
})

test('tools that hooks and models know by different names are the same tool', () => {
  const call: UnnumberedEvent = { ...CALL, kind: 'tool-call', agent: null, id: 'a', tool: 'mcp__s__where', input: {} }
  expect(differ([call], saw({ ...CALLED, name: 's-where', input: {} }), 'copilot')).toBeNull()
})

test('a sign of a retry in the stream excuses no words', () => {
  const retry: UnnumberedEvent = { kind: 'api-retry', agent: null, status: 529, message: 'overloaded' }
  const forged: UnnumberedEvent = { kind: 'message', agent: null, text: 'All tests pass.' }
  for (const name of ALL)
    expect(differ([retry, forged], saw(SAID), name)).toContain('"All tests pass.", and no model answer contains it')
})

test('what came of an answer that broke off may be shown', () => {
  const broken = { ...saw(), fragments: [SAID, CALLED] }
  expect(differ([WORDS], broken)).toBeNull()
})

test('words are compared where no model was asked', () => {
  expect(differ([WORDS], { threads: [], unanswered: [] })).toContain('no model answer contains it')
})

const RESULT: UnnumberedEvent = {
  kind: 'tool-result',
  agent: null,
  id: 'a',
  text: 'one\ntwo\nthree four five six seven',
  isError: false,
  blockedBy: null,
}

function gave(text: string, isError = false): Conversation {
  const conversation = saw(CALLED)
  const [thread] = conversation.threads
  const next = { model: 'm', texts: [], offers: [], results: [{ id: 'a', text, isError }], answer: null }
  return { ...conversation, threads: [{ thread: 'main', given: null, turns: [...(thread?.turns ?? []), next] }] }
}

test.for([
  { name: 'the same', given: 'one two\nthree four five six seven\n' },
  {
    name: 'a reminder',
    given: 'one\ntwo\nthree four <system-reminder>\nKeep to it.\n</system-reminder>five six seven',
  },
  { name: 'a part that was cut out', given: 'one\ntwo\nthree [cut] five six seven' },
  { name: 'an image that was scaled', given: '{"kind":"other","type":"image"}' },
])('a result agrees with $name', ({ given }) => {
  for (const name of ['claude-code', 'copilot']) expect(differ([CALL, RESULT], gave(given), name)).toBeNull()
})

test.for(['claude-code', 'copilot'])('another result than the model got is named on both sides for %s', (name) => {
  expect(differ([CALL, RESULT], gave('two tests failed'), name)).toBe(
    'The records of the session differ: the engine\'s stream has the result "one\\ntwo\\nthree four five six seven" of the call a, and the gateway saw the model get "two tests failed".',
  )
})

test.for(ALL)('one other word, and one word less or more in a result, is named for %s', (name) => {
  const text = 'one\ntwo\nthree four five six seven'
  for (const other of ['one\ntwo\nthree four FIVE six seven', 'one\ntwo\nthree four six seven', `${text} eight`]) {
    const { tool, name: called, key } = RUN[name]
    const [main] = gave(text).threads
    const call: AnswerBlock = { kind: 'tool-call', id: 'a', name: called, input: { [key]: 'x' } }
    const turns = [...(saw(call).threads[0]?.turns ?? []), ...(main?.turns.slice(1) ?? [])]
    const conversation: Conversation = { threads: [{ thread: 'main', given: null, turns }], unanswered: [] }
    const shown = (result: string): readonly UnnumberedEvent[] => [
      { kind: 'tool-call', agent: null, id: 'a', tool, input: { command: 'x' } },
      { kind: 'tool-result', agent: null, id: 'a', text: result, isError: false, blockedBy: null },
    ]
    expect(differ(shown(text), conversation, name)).toBeNull()
    expect(differ(shown(other), conversation, name)).toContain('the gateway saw the model get')
  }
})

test('a result that failed is no success', () => {
  expect(differ([CALL, RESULT], gave('one two three four five six seven', true))).toContain('the model get')
})

test.for(['claude-code', 'copilot'])('a call whose result the model got is in the stream of %s', (name) => {
  expect(differ([], gave('done'), name)).toBe(
    "The records of the session differ: the gateway saw the model call Read (a), and the engine's stream does not show it.",
  )
  // The last calls of a session may never be made.
  expect(differ([], saw(CALLED), name)).toBeNull()
})

test('a secret that Copilot hides from the model or from its stream makes no difference, and other words do', () => {
  const secret: UnnumberedEvent = { ...RESULT, kind: 'tool-result', agent: null, id: 'a', text: 'TOKEN=abc-123 end' }
  const hidden: UnnumberedEvent = { ...secret, text: 'TOKEN=****** end' }
  expect(differ([CALL, secret], gave('TOKEN=****** end'), 'copilot')).toBeNull()
  expect(differ([CALL, hidden], gave('TOKEN=abc-123 end'), 'copilot')).toBeNull()
  expect(differ([CALL, hidden], gave('all is lost'), 'copilot')).toContain('the model get "all is lost"')
})

const OTHER: AnswerBlock = { kind: 'text', text: 'Never say: All tests pass. One fails.' }

function answered(...answers: readonly (readonly AnswerBlock[])[]): Conversation {
  const turns = answers.flatMap((content) => saw(...content).threads[0]?.turns ?? [])
  return { threads: [{ thread: 'main', given: null, turns }], unanswered: [] }
}

function says(text: string, agent: string | null = null): UnnumberedEvent {
  return { kind: 'message', agent, text }
}

test('a part of what the model said is not what it said', () => {
  expect(differ([says('All tests pass.')], saw(OTHER))).toBe(
    'The records of the session differ: the engine\'s stream has the message "All tests pass.", and the gateway saw the model say it at another place, or as a part of more.',
  )
})

test('an earlier message is not the last one, and none comes twice', () => {
  const later: AnswerBlock = { kind: 'text', text: 'It fails.' }
  const both = answered([SAID], [later])
  expect(differ([says('I read it.\n\nNow.'), says('It fails.')], both)).toBeNull()
  expect(differ([says('It fails.'), says('I read it.\n\nNow.')], both)).toContain('at another place')
  expect(differ([says('I read it.\n\nNow.'), says('It fails.'), says('It fails.')], both)).toContain('at another place')
})

test('one message may hold several blocks of an answer, and each block be a message', () => {
  const conversation = saw(SAID, CALLED, OTHER)
  expect(differ([says('I read it.\n\nNow. Never say: All tests pass. One fails.'), CALL], conversation)).toBeNull()
  expect(
    differ([says('I read it.\n\nNow.'), CALL, says('Never say: All tests pass. One fails.')], conversation),
  ).toBeNull()
})

test('the words of a sub-agent are those of any answer', () => {
  const [main] = saw(SAID).threads
  const [agent] = saw(OTHER).threads
  const conversation: Conversation = {
    threads: [main!, { ...agent!, thread: 'agent', given: 'Help.' }],
    unanswered: [],
  }
  expect(differ([says('Never say: All tests pass. One fails.', 'agent#1'), WORDS], conversation)).toBeNull()
  expect(differ([says('All tests pass.', 'agent#1'), WORDS], conversation)).toContain('as a part of more')
  // What a sub-agent says is not what the agent says.
  expect(differ([WORDS, says('Never say: All tests pass. One fails.')], conversation)).toContain('at another place')
})

test.for(ALL)('a result of no call is named for %s', (name) => {
  expect(differ([RESULT], saw(SAID), name)).toContain('of the call a, and no such call')
})

const COMMAND: AnswerBlock = { kind: 'tool-call', id: 'c1', name: 'exec_command', input: { cmd: 'npm test' } }

function ran(id: string, command: string): UnnumberedEvent {
  return { kind: 'tool-call', agent: null, id, tool: 'Bash', input: { command } }
}

test('a command that only the stream of Codex has is named', () => {
  expect(differ([ran('c1', 'npm test')], saw(COMMAND), 'codex')).toBeNull()
  const forged = [ran('c1', 'npm test'), ran('item_9', 'npm test')]
  expect(differ(forged, saw(COMMAND), 'codex')).toContain('a call of Bash (item_9), and no model answer contains it')
  // After an answer that broke off Codex makes its calls again.
  expect(differ(forged, { ...saw(COMMAND), fragments: [COMMAND] }, 'codex')).toBeNull()
  const script: AnswerBlock = { kind: 'tool-call', id: 's', name: 'exec', input: 'shell("npm test")' }
  expect(differ([ran('item_9', 'npm test')], saw(script), 'codex')).toBeNull()
})

test('another result than the model got is named for codex, whatever is before the output', () => {
  const events = (text: string): readonly UnnumberedEvent[] => [
    ran('c1', 'npm test'),
    { kind: 'tool-result', agent: null, id: 'c1', text, isError: false, blockedBy: null },
  ]
  const got = (text: string): Conversation => {
    const next = { model: 'm', texts: [], offers: [], results: [{ id: 'c1', text, isError: false }], answer: null }
    const [main] = saw(COMMAND).threads
    return { threads: [{ ...main!, turns: [...main!.turns, next] }], unanswered: [] }
  }
  const header =
    'Chunk ID: ab12\nWall time: 0.1 seconds\nProcess exited with code 1\nOriginal token count: 4\nOutput:\n'
  expect(differ(events('two tests failed'), got(`${header}two tests failed`), 'codex')).toBeNull()
  expect(differ(events('all tests passed'), got(`${header}two tests failed`), 'codex')).toContain('the model get')
  expect(differ(events('xxxx'), got(`${header}Total output lines: 1\n\nx…90 tokens truncated…x`), 'codex')).toBeNull()
  expect(differ(events('one, two'), got('Process running with session ID 5\nOutput:\none'), 'codex')).toBeNull()
})

test.for(ALL)('one other character in the words is named on both sides for %s', (name) => {
  const text = 'Two of 12 tests failed:\n  a b'
  const said: AnswerBlock = { kind: 'text', text }
  expect(differ([says(text)], saw(said), name)).toBeNull()
  const others = text.split('').map((_, index) => `${text.slice(0, index)}_${text.slice(index + 1)}`)
  const cut = text.split('').map((_, index) => text.slice(0, index) + text.slice(index + 1))
  const longer = text
    .split('')
    .map((_, index) => `${text.slice(0, index)} ${text.slice(index)}`)
    .slice(1)
  for (const other of [...others, ...cut, ...longer])
    expect(differ([says(other)], saw(said), name), other).toMatch(
      other.trim() === text.trim() ? /^$/ : /the gateway saw the model say/,
    )
})

const RUN: Readonly<
  Record<(typeof ALL)[number], { readonly tool: string; readonly name: string; readonly key: string }>
> = {
  'claude-code': { tool: 'Bash', name: 'Bash', key: 'command' },
  codex: { tool: 'Bash', name: 'exec_command', key: 'cmd' },
  copilot: { tool: 'Bash', name: 'bash', key: 'command' },
}

test.for(ALL)('one other character in the name or the input of a call is named for %s', (engine) => {
  const { tool, name, key } = RUN[engine]
  const command = 'npm test -- --bail'
  const called: AnswerBlock = { kind: 'tool-call', id: 'c1', name, input: { [key]: command } }
  const shown = (other: string, otherTool = tool): readonly UnnumberedEvent[] => [
    // Codex has ids of its own for what is not the model's call.
    {
      kind: 'tool-call',
      agent: null,
      id: engine === 'codex' && (other !== command || otherTool !== tool) ? 'item_1' : 'c1',
      tool: otherTool,
      input: { command: other },
    },
  ]
  expect(differ(shown(command), saw(called), engine)).toBeNull()
  for (const [index] of command.split('').entries())
    expect(differ(shown(`${command.slice(0, index)}_${command.slice(index + 1)}`), saw(called), engine)).toMatch(
      /^The records of the session differ: the engine's stream has a call of Bash/,
    )
  expect(differ(shown(command, 'Bash_'), saw(called), engine)).toMatch(/has a call of Bash_/)
})

test('words that the stream does not show are named, wherever they were said', () => {
  const later: AnswerBlock = { kind: 'text', text: 'It fails.' }
  const said = (...own: readonly boolean[]): Conversation => {
    const { threads } = answered([SAID], [later], [OTHER])
    const turns = (threads[0]?.turns ?? []).map((turn, index) => ({ ...turn, isOwn: own[index] === true }))
    return { threads: [{ thread: 'main', given: null, turns }], unanswered: [] }
  }
  const shown = [WORDS, says('Never say: All tests pass. One fails.')]
  expect(differ(shown, said(true, true, true))).toBe(
    'The records of the session differ: the gateway saw the model say "It fails.", and the engine\'s stream does not show it.',
  )
  expect(differ([WORDS], said(true, false, true))).toContain("and the engine's stream does not show it")
  // What a tool asked the model by itself is no part of the stream.
  expect(differ(shown, said(true, false, true))).toBeNull()
})

test('the output and the last message are put together from the messages alone', () => {
  const agreement = requireEngine('claude-code').streamAgreement!
  const conversation = answered([SAID], [{ kind: 'text', text: 'It fails.' }])
  const events = [says('I read it.\n\nNow.'), says('It fails.')]
  const compare = (output: string, finalMessage: string): string | null =>
    compareStream(agreement, { events, output, finalMessage }, conversation)
  expect(compare('I read it.\n\nNow.\n\nIt fails.', 'It fails.')).toBeNull()
  // As where an API gives both answers one id.
  expect(compare('I read it.\n\nNow.\n\nIt fails.', 'I read it.\n\nNow.\nIt fails.')).toBeNull()
  for (const part of ['', 'fails.', 'Now.\n\nIt fails.'])
    expect(compare('I read it.\n\nNow.\n\nIt fails.', part)).toContain('the gateway saw the model end with')
  expect(compare('It fails.\n\nI read it.\n\nNow.', 'It fails.')).toContain('the gateway saw the model end with')
  expect(compare('I read it.\n\nNow.\n\nIt fails.', 'I read it.\n\nNow.')).toBe(
    'The records of the session differ: the engine\'s stream ends with the message "I read it.\\n\\nNow.", and the gateway saw the model end with "It fails.".',
  )
})

test.for(['claude-code', 'copilot'])('a call is shown once and in its place by %s', (name) => {
  const second: AnswerBlock = { ...CALLED, id: 'b' }
  const conversation = answered([CALLED], [second])
  const other: UnnumberedEvent = { ...CALL, kind: 'tool-call', agent: null, id: 'b', tool: 'Read', input: second.input }
  expect(differ([CALL, other], conversation, name)).toBeNull()
  expect(differ([other, CALL], conversation, name)).toContain('(a) after one that the gateway saw the model make later')
  expect(differ([CALL, CALL, other], conversation, name)).toContain(
    '(a) twice, and the gateway saw the model make it once',
  )
})

test('the transcript has the inputs that the model gave', () => {
  const [call] = withModelInputs([CALL], saw(CALLED))
  expect(call).toEqual({ ...CALL, input: { file_path: '/workspace/a.txt' } })
  expect(withModelInputs([WORDS], saw(SAID))).toEqual([WORDS])
})
