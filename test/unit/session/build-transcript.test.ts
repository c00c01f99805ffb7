import { describe, expect, test } from 'vitest'
import type { RunRecord } from '../../../src/session/build-transcript.ts'
import {
  ALL,
  build,
  chain,
  command,
  result,
  says,
  shown,
  words,
  type EngineName,
} from '../../support/built-transcript.ts'
import { agentThread, call, conversationOf, mainThread, turnOf } from '../../support/recorded-conversation.ts'
import type { Conversation, ObservedResult } from '../../../src/recordings/conversation.ts'
import type { UnnumberedEvent } from '../../../src/transcript/transcript.ts'

/** A run with one command whose test fails. */
function failing(engine: EngineName): Conversation {
  return conversationOf(
    mainThread(
      ...chain(
        { says: [says('I test.'), command(engine, 'c1', 'npm test')] },
        { results: [result('c1', 'two tests failed')], says: [says('Two fail.')] },
      ),
    ),
  )
}

describe.each(ALL)('the transcript of %s', (engine) => {
  const honest = [
    shown.says('I test.'),
    shown.call('c1', 'npm test'),
    shown.result('c1', 'two tests failed'),
    shown.says('Two fail.'),
  ]

  test('is what the gateway saw', () => {
    const { events, output, finalMessage, problem } = build(engine, failing(engine), honest)
    expect(words(events)).toEqual([
      'says I test. [model]',
      'c1 Bash {"command":"npm test"} [model]',
      'c1 result two tests failed [given to the model]',
      'says Two fail. [model]',
    ])
    expect([output, finalMessage, problem]).toEqual(['I test.\n\nTwo fail.', 'Two fail.', null])
  })

  test('is the same whatever is said in the stream alone', () => {
    const truth = build(engine, failing(engine), honest)
    const forgeries: readonly (readonly UnnumberedEvent[])[] = [
      [...honest, shown.says('All tests pass.')],
      [shown.says('All tests pass.'), ...honest],
      [...honest.slice(0, 2), shown.result('c1', 'all tests passed'), ...honest.slice(3)],
      [...honest.slice(0, 2), shown.result('c1', 'all tests passed'), ...honest.slice(2)],
      [...honest.slice(0, 3), shown.says('All tests pass.')],
      [shown.says('Two fail.'), shown.says('I test.')],
      [
        { ...shown.result('c1', 'two tests failed'), kind: 'skill-used', skill: 'notes', via: 'tool' } as never,
        ...honest,
      ],
    ]
    for (const forged of forgeries) {
      const { events, output, finalMessage, problem } = build(engine, failing(engine), forged)
      expect(words(events)).toEqual(words(truth.events))
      expect([output, finalMessage, problem]).toEqual([truth.output, truth.finalMessage, null])
    }
  })

  test('has no call that no model made', () => {
    const forged = [...honest, shown.call('c9', 'npm publish'), shown.result('c9', 'done')]
    const { events } = build(engine, failing(engine), forged)
    expect(words(events)).toEqual(words(build(engine, failing(engine), honest).events))
  })

  test('takes the last result from the engine where no request carried it', () => {
    const conversation = conversationOf(mainThread(...chain({ says: [command(engine, 'c1', 'npm test')] })))
    const { events } = build(engine, conversation, [shown.call('c1', 'npm test'), shown.result('c1', 'fine')])
    expect(words(events)).toEqual(['c1 Bash {"command":"npm test"} [model]', 'c1 result fine [cli]'])
  })

  test.for([
    ['says nothing', [says('')]],
    ['did not come', null],
  ] as const)('has what came before a last answer that %s', ([, last]) => {
    const answer = last === null ? { answer: null } : { says: last }
    const turns = chain({ says: [command(engine, 'c1', 'npm test')] }, { results: [result('c1', 'fine')], ...answer })
    const { events, problem } = build(engine, conversationOf(mainThread(...turns)), [shown.call('c1', 'npm test')])
    expect(words(events)).toEqual(['c1 Bash {"command":"npm test"} [model]', 'c1 result fine [given to the model]'])
    expect(problem).toBeNull()
  })

  test('has no words of a conversation that a tool began by itself', () => {
    const [first, last] = chain(
      { says: [command(engine, 'c1', 'ask')] },
      { results: [result('c1', 'ok')], says: [says('Two fail.')] },
    )
    const asked = turnOf({ order: 1, after: null, says: [says('All tests pass.')] })
    const conversation = conversationOf(mainThread(first!, asked, { ...last!, order: 2, after: 0 }))
    expect(build(engine, conversation, [shown.says('Two fail.')]).output).toBe('Two fail.')
  })
})

test('an answer that broke off counts for the calls that the session made of it', () => {
  const broken = [command('codex', 'c1', 'ls')]
  const turns = [
    turnOf({ order: 0, after: null, answer: null, others: [broken], taken: broken }),
    turnOf({ order: 1, after: 0, results: [result('c1', 'a.txt')], says: [says('Done.')] }),
  ]
  expect(words(build('codex', conversationOf(mainThread(...turns)), []).events)).toEqual([
    'c1 Bash {"command":"ls"} [model]',
    'c1 result a.txt [given to the model]',
    'says Done. [model]',
  ])
  const cut = conversationOf(mainThread(turnOf({ answer: null, others: [[says('All is')]] })))
  expect(build('codex', cut, [shown.says('All is')])).toMatchObject({
    output: '',
    problem: 'The last answer of the model broke off, and the engine went on as if it were complete.',
  })
})

test('sub-agents stand where they were asked, also one of another, and none that nothing has started', () => {
  const main = mainThread(
    turnOf({ order: 0, after: null, says: [call('a1', 'Agent', { prompt: 'Look.', subagent_type: 'critic' })] }),
    turnOf({ order: 5, after: 0, results: [result('a1', 'Fine.')], says: [says('Done.')] }),
  )
  const critic = agentThread(
    'Look.',
    turnOf({ order: 1, after: null, says: [call('a2', 'Agent', { prompt: 'Count.' })] }),
    turnOf({ order: 3, after: 0, results: [result('a2', 'Two.')], says: [says('Fine.')] }),
  )
  const counter = agentThread('Count.', turnOf({ order: 2, after: null, says: [says('Two.')] }))
  const stranger = agentThread('Say yes.', turnOf({ order: 4, after: null, says: [says('Yes.')] }))
  const { events } = build('claude-code', conversationOf(main, critic, counter, stranger), [])
  expect(words(events).map((line) => line.replace(/ \[.*/, ''))).toEqual([
    'a1 Agent {"prompt":"Look.","subagent_type":"critic"}',
    'critic#a1: a2 Agent {"prompt":"Count."}',
    'agent#a2: says Two.',
    'critic#a1: a2 result Two.',
    'critic#a1: says Fine.',
    'a1 result Fine.',
    'says Done.',
  ])
})

test('a skill that runs as a sub-agent is used when that begins', () => {
  const start = turnOf({ order: 0, after: null, says: [call('s', 'Skill', { skill: 'forked' })] })
  const helper = agentThread('Body of the skill.', turnOf({ order: 1, after: null, answer: null }))
  expect(words(build('claude-code', conversationOf(mainThread(start), helper), []).events)).toEqual([
    's Skill {"skill":"forked"} [model]',
    'skill forked tool [model]',
  ])
  const end = turnOf({ order: 2, after: 0, results: [result('s', 'Skill "forked" completed.')], says: [says('Done.')] })
  const whole = conversationOf(mainThread(start, end), agentThread('Body of the skill.', turnOf({ order: 1 })))
  expect(words(build('claude-code', whole, []).events)).toEqual([
    's Skill {"skill":"forked"} [model]',
    'agent#s: says Done. [model]',
    's result Skill "forked" completed. [given to the model]',
    'skill forked tool [given to the model]',
    'says Done. [model]',
  ])
})

test('a skill is used by the call whose result the model got', () => {
  const used = (given: ObservedResult, events: readonly UnnumberedEvent[] = []): readonly string[] => {
    const turns = chain({ says: [call('s', 'Skill', { skill: 'an-alias' })] }, { results: [given] })
    const built = build('claude-code', conversationOf(mainThread(...turns)), events)
    return words(built.events).filter((line) => line.startsWith('skill'))
  }
  expect(used(result('s', 'Launching skill: pack:notes'))).toEqual(['skill pack:notes tool [given to the model]'])
  expect(used(result('s', 'Unknown skill', true))).toEqual([])
  const forged: UnnumberedEvent = { kind: 'skill-used', agent: null, skill: 'an-alias', via: 'tool' }
  expect(used(result('s', 'Unknown skill', true), [forged])).toEqual([])
})

test('who blocked a call is read from what the model got', () => {
  const blocked = (engine: EngineName, given: ObservedResult, claim: Partial<UnnumberedEvent> = {}): string => {
    const turns = chain({ says: [command(engine, 'c1', 'x')] }, { results: [given] })
    const events = [shown.call('c1', 'x'), { ...shown.result('c1', given.text, true), ...claim } as UnnumberedEvent]
    return words(build(engine, conversationOf(mainThread(...turns)), events).events)[1]?.split(' ')[1] ?? ''
  }
  const byHook = { blockedBy: 'hook' } as const
  expect([
    blocked('claude-code', result('c1', 'PreToolUse:Bash hook error: no', true)),
    blocked('codex', result('c1', 'Command blocked by PreToolUse hook: no. Command: x', true)),
    blocked('copilot', result('c1', 'Denied by preToolUse hook: no'), byHook),
    // What ran was not blocked, whatever the stream says.
    blocked('claude-code', result('c1', 'Exit code 1\nno', true), byHook),
    blocked('claude-code', result('c1', 'fine'), byHook),
    blocked('codex', result('c1', 'Process exited with code 0\nOutput:\nfine'), byHook),
    blocked('copilot', result('c1', 'fine\n<shellId: 0 completed with exit code 0>'), byHook),
    blocked('copilot', result('c1', 'no\n<shellId: 0 completed with exit code 3>'), byHook),
  ]).toEqual(['hook', 'hook', 'hook', 'error', 'result', 'result', 'result', 'error'])
})

test('calls that Codex numbers itself have the ids of the model, and refused ones stand where they were made', () => {
  const conversation = conversationOf(
    mainThread(
      ...chain(
        {
          says: [
            says('A.'),
            command('codex', 'c1', 'ls'),
            command('codex', 'c2', 'echo x'),
            command('codex', 'c4', 'ls'),
          ],
        },
        {
          results: [
            result('c1', 'Process exited with code 0\nOutput:\na'),
            result('c2', 'Command blocked by PreToolUse hook: no. Command: echo x', true),
            result('c4', 'Process exited with code 1\nOutput:\nb', true),
          ],
          says: [says('B.')],
        },
      ),
    ),
  )
  const events = [
    shown.says('A.'),
    shown.call('item_1', 'ls'),
    shown.result('item_1', 'a'),
    shown.call('item_2', 'ls'),
    shown.result('item_2', 'b', true),
    shown.says('B.'),
  ]
  const built = build('codex', conversation, events)
  expect(words(built.events)).toEqual([
    'says A. [model]',
    'c1 Bash {"command":"ls"} [model]',
    'c2 Bash {"command":"echo x"} [model]',
    'c4 Bash {"command":"ls"} [model]',
    'c1 result a [given to the model]',
    'c2 hook Command blocked by PreToolUse hook: no. Command: echo x [given to the model]',
    'c4 error b [given to the model]',
    'says B. [model]',
  ])
})

describe('a script of Codex', () => {
  const script = {
    kind: 'tool-call',
    id: 'c1',
    name: 'exec',
    input: 'await tools.exec_command({cmd: "cat a"})',
  } as const
  const output = 'Script completed\nOutput:\nCommand blocked by PreToolUse hook: no. Command: echo x'
  const run = (input: string, events: readonly UnnumberedEvent[]): RunRecord =>
    build(
      'codex',
      conversationOf(
        mainThread(...chain({ says: [{ ...script, input }] }, { results: [result('c1', output)], says: [says('B.')] })),
      ),
      events,
    )

  test('has what it did inside of it, marked as what the engine alone says', () => {
    const events = [shown.call('item_1', 'cat a'), shown.result('item_1', 'text'), shown.says('B.')]
    expect(words(run(script.input, events).events)).toEqual([
      'c1 exec {"input":"await tools.exec_command({cmd: \\"cat a\\"})"} [model]',
      'item_1 Bash {"command":"cat a"} [cli]',
      'item_1 result text [cli]',
      'c1/1 Bash {"command":"echo x"} [given to the model]',
      'c1/1 hook Command blocked by PreToolUse hook: no. Command: echo x [given to the model]',
      `c1 result ${output} [given to the model]`,
      'says B. [model]',
    ])
  })

  test('makes no call of a tool that it does not name', () => {
    const { events } = run('text("Hello.")', [shown.call('item_1', 'cat a'), shown.says('B.')])
    expect(words(events).join()).not.toContain('item_1')
  })
})

test('names of servers are those of the engine, and its own calls and notices are told apart', () => {
  const turns = chain({ says: [call('c1', 'pdf-info-count')] }, { results: [result('c1', '2')], says: [says('Two.')] })
  const events: readonly UnnumberedEvent[] = [
    { kind: 'notice', agent: null, text: 'It begins.' },
    { kind: 'tool-call', agent: null, id: 'c1', tool: 'mcp__pdf-info__count', input: {} },
    { kind: 'tool-call', agent: null, id: 'own', tool: 'read_bash', input: {} },
    { kind: 'api-retry', agent: null, status: 529, message: 'overloaded' },
    shown.says('Two.'),
  ]
  const { events: built } = build('copilot', conversationOf(mainThread(...turns)), events)
  expect(words(built)).toEqual([
    'notice [cli]',
    'c1 mcp__pdf-info__count {} [model]',
    'api-retry [cli]',
    'c1 result 2 [given to the model]',
    'says Two. [model]',
  ])
})

test('a call that the engine hides counts', () => {
  const { events } = build('claude-code', failing('claude-code'), [shown.says('I test.'), shown.says('Two fail.')])
  expect(words(events)[1]).toBe('c1 Bash {"command":"npm test"} [model]')
})

test('a skill that a prompt of Codex names is put in by the engine', () => {
  const turns = chain({ texts: ['<skill>\n<name>greet</name>\nbody</skill>'], says: [says('Hello.')] })
  expect(words(build('codex', conversationOf(mainThread(...turns)), []).events)[0]).toBe(
    'skill greet tool [given to the model]',
  )
})

test('an image is named', () => {
  const turns = chain(
    { says: [call('c1', 'Read')] },
    { results: [result('c1', '{"kind":"other","type":"image","value":{}}')] },
  )
  const { events } = build('claude-code', conversationOf(mainThread(...turns)), [])
  expect(words(events)[1]).toBe('c1 result [image] [given to the model]')
})

test('requests that are no part of the session are listed apart', () => {
  const [first] = chain({ says: [says('Done.')] })
  const asked = turnOf({ order: 1, after: null, says: [says('Of a tool.')] })
  const unanswered = turnOf({ order: 3, after: null, answer: null })
  const compact = { thread: 'side:compact', given: null, turns: [turnOf({ order: 2, says: [says('A summary.')] })] }
  const main = mainThread(first!, asked, unanswered)
  const { output, otherRequests } = build('claude-code', conversationOf(main, compact), [])
  expect([output, otherRequests]).toEqual([
    'Done.',
    [
      { thread: 'main', model: 'm', answer: 'Of a tool.' },
      { thread: 'main', model: 'm', answer: null },
      { thread: 'side:compact', model: 'm', answer: 'A summary.' },
    ],
  ])
})
