import { describe, expect, test } from 'vitest'
import { createRecordSource, createReplaySource } from '../../../../src/gateway/sources/played.ts'
import { createScenarioSource } from '../../../../src/gateway/sources/scenario.ts'
import type { AnsweredThread } from '../../../../src/gateway/leases/lease.ts'
import type { ModelPart, ModelRequest, Thread } from '../../../../src/recordings/messages.ts'
import type { Source, SourceAnswer } from '../../../../src/gateway/sources/source.ts'
import { scenarioOf } from '../../../support/gateway.ts'

const MAIN: Thread = { kind: 'main' }

function ask(thread: Thread, parts: readonly (ModelPart | string)[], more: Partial<ModelRequest> = {}): ModelRequest {
  const list = parts.map((part) => (typeof part === 'string' ? ({ kind: 'text', text: part } as const) : part))
  const messages = [{ role: 'user', parts: list }]
  return {
    thread,
    model: 'm',
    stream: true,
    system: ['You are a Claude agent.'],
    messages,
    tools: [],
    offers: [],
    ...more,
  }
}

function agent(id: string, prompt: string): Thread {
  return { kind: 'agent', id, prompt }
}

function answerOf(source: Source, request: ModelRequest): SourceAnswer {
  if (source.kind !== 'answers') throw new Error('This source passes requests on.')
  return source.answer(request)
}

function answerText(source: Source, request: ModelRequest): string {
  const given = answerOf(source, request)
  if (given.kind === 'failure') return `refused: ${given.refusal.problem.code}`
  return given.answer.content.map((block) => (block.kind === 'text' ? block.text : block.kind)).join('')
}

function threadOf(name: string, given: string | null, ...texts: readonly string[]): AnsweredThread {
  const usage = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 0, cacheWriteTokens: 0 }
  return {
    thread: name,
    given,
    turns: texts.map((text) => ({ content: [{ kind: 'text', text }], stopReason: 'end-turn', usage })),
  }
}

function replayOf(...threads: readonly AnsweredThread[]): Source {
  return createReplaySource({ kind: 'replay', credential: 'api-key', model: 'claude-opus-5-5', threads })
}

describe('a replay', () => {
  test('answers by the ordinal of the different request, whatever it holds', () => {
    const source = replayOf(threadOf('main', null, 'first', 'second'))
    expect(answerText(source, ask(MAIN, ['a'], { system: ['Another system.'] }))).toBe('first')
    expect(answerText(source, ask(MAIN, ['a', 'b'], { tools: ['New'] }))).toBe('second')
    expect(answerOf(source, ask(MAIN, ['a', 'b'], { tools: ['New'] }))).toMatchObject({
      answer: { model: 'claude-opus-5-5', usage: { inputTokens: 1, outputTokens: 2 } },
    })
  })

  test('answers a request that is sent again, streamed or not, with the same', () => {
    const source = replayOf(threadOf('main', null, 'first', 'second'))
    expect([true, false, true].map((stream) => answerText(source, ask(MAIN, ['a'], { stream })))).toEqual([
      'first',
      'first',
      'first',
    ])
    expect(answerText(source, ask(MAIN, ['a', 'b']))).toBe('second')
  })

  test('keeps sub-agents apart by what they were given, and equal ones by their order', () => {
    const source = replayOf(
      threadOf('main', null, 'm'),
      threadOf('agent', 'Look.', 'l1', 'l2'),
      threadOf('agent', 'Look.', 'k1'),
      threadOf('agent', 'Read.', 'r1'),
    )
    expect(answerText(source, ask(agent('9', 'Read.'), ['Read.']))).toBe('r1')
    expect(answerText(source, ask(agent('7', 'Look.'), ['Look.']))).toBe('l1')
    expect(answerText(source, ask(agent('8', 'Look.'), ['Look.']))).toBe('k1')
    expect(answerText(source, ask(agent('7', 'Look.'), ['Look.', 'more']))).toBe('l2')
    expect(answerText(source, ask(MAIN, ['a']))).toBe('m')
  })

  test('keeps what the engine asks for itself apart by its kind', () => {
    const source = replayOf(threadOf('main', null, 'm'), threadOf('side:hook', null, 'h1', 'h2'))
    expect(answerText(source, ask({ kind: 'side', name: 'hook' }, ['a']))).toBe('h1')
    expect(answerText(source, ask({ kind: 'side', name: 'hook' }, ['b']))).toBe('h2')
    expect(answerText(source, ask({ kind: 'side', name: 'compact' }, ['b']))).toBe('refused: recording-incompatible')
  })

  test('has nothing to say to what needs no answer, unless it was answered', () => {
    const ended = ask({ kind: 'side', name: 'sub-agent-ended' }, ['a'])
    expect(answerText(replayOf(threadOf('main', null, 'm')), ended)).toBe('')
    expect(answerText(replayOf(threadOf('side:sub-agent-ended', null, 'Good.')), ended)).toBe('Good.')
    expect(answerText(createScenarioSource(scenarioOf('{ turns: [One.], side: [Aside.] }')), ended)).toBe('')
  })

  test('says what it does not hold, and refuses for good', () => {
    const source = replayOf(threadOf('main', null, 'first'))
    answerText(source, ask(MAIN, ['a']))
    expect(answerOf(source, ask(MAIN, ['a', 'What now?']))).toMatchObject({
      kind: 'failure',
      failure: { status: 403, retry: false },
      refusal: { final: true, problem: { code: 'recording-incompatible' } },
    })
    answerText(source, ask(agent('1', 'Look.'), ['Look.']))
    expect(source.conversation?.().unanswered).toEqual([
      'the main thread sent request 2, and the recording contains 1 of its requests. The last message was: "What now?".',
      'a sub-agent given "Look." sent request 1, and the recording contains nothing of it. The last message was: "Look.".',
    ])
  })
})

test('a recording source keeps each text, tool and result once, and every answer', () => {
  const source = createRecordSource(
    createScenarioSource(scenarioOf('turns: [{ tools: [{ name: Bash }] }, { error: { status: 529 } }, Done.]')),
  )
  const result: ModelPart = { kind: 'tool-result', id: 't1', text: 'printed', isError: false }
  const offers = [{ name: 'Bash', description: 'Runs.' }]
  answerOf(source, ask(MAIN, ['Do it.'], { offers }))
  const messages = [
    ...ask(MAIN, ['Do it.']).messages,
    { role: 'assistant', parts: [{ kind: 'text', text: 'I do it.' } as const] },
    { role: 'user', parts: [result, { kind: 'other', type: 'image', value: 'x' } as const] },
  ]
  answerOf(source, ask(MAIN, [], { messages, offers }))
  answerOf(source, ask(MAIN, [], { messages, offers }))
  expect(source.conversation?.()).toMatchObject({
    unanswered: [],
    threads: [
      {
        thread: 'main',
        given: null,
        turns: [
          { texts: ['You are a Claude agent.', 'Do it.'], offers, results: [], answer: { stopReason: 'tool-calls' } },
          {
            texts: ['printed', '"x"'],
            offers: [],
            results: [{ id: 't1', text: 'printed', isError: false }],
            answer: { content: [{ kind: 'text', text: 'Done.' }] },
          },
        ],
      },
    ],
  })
})
