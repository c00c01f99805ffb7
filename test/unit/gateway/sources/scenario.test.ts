import { expect, test } from 'vitest'
import type { ModelMessage, ModelRequest, Thread } from '../../../../src/recordings/messages.ts'
import { createScenarioSource } from '../../../../src/gateway/sources/scenario.ts'
import { scenarioOf } from '../../../support/gateway.ts'

/** Asks a scenario like an engine would, and shows its answers in short. */
function converse(yaml: string) {
  const source = createScenarioSource(scenarioOf(yaml))
  const ask = (thread: Thread, messages: readonly ModelMessage[], stream = true): string => {
    if (source.kind !== 'answers') throw new Error('A scenario answers.')
    const request: ModelRequest = { thread, model: 'm', stream, system: [], messages, tools: ['Bash'], offers: [] }
    const given = source.answer(request)
    if (given.kind === 'failure')
      return given.refusal.final ? given.refusal.problem.message : `error ${given.failure.status}`
    return given.answer.content
      .flatMap((block) => {
        if (block.kind === 'tool-call') return [`${block.name}(${block.id.slice(0, 10)})`]
        return block.kind === 'other' ? [] : [block.text]
      })
      .join(' ')
  }
  return {
    main: (...texts: string[]) => ask({ kind: 'main' }, texts.map(user)),
    fallback: (...texts: string[]) => ask({ kind: 'main' }, texts.map(user), false),
    side: (text: string) => ask({ kind: 'side', name: 'hook' }, [user(text)]),
    agent: (id: string, prompt: string, ...more: string[]) =>
      ask({ kind: 'agent', id, prompt }, [prompt, ...more].map(user)),
  }
}

function user(text: string): ModelMessage {
  return { role: 'user', parts: [{ kind: 'text', text }] }
}

test('each new request of a thread gets the next turn, the same request the same turn', () => {
  const { main, fallback, side } = converse('{ turns: [One., Two.], side: [Aside.] }')
  expect([main('a'), main('a'), fallback('a'), side('x'), main('a', 'b'), main('a'), side('x')]).toEqual([
    'One.',
    'One.',
    'One.',
    'Aside.',
    'Two.',
    'One.',
    'Aside.',
  ])
})

test('an error is used up by one request, the last one stays', () => {
  const { main } = converse('turns: [{ error: { status: 529 } }, Fine., { error: { status: 500 } }]')
  expect([main('a'), main('a'), main('a'), main('b'), main('b'), main('c')]).toEqual([
    'error 529',
    'Fine.',
    'Fine.',
    'error 500',
    'error 500',
    'error 500',
  ])
})

test('an error that no retry mends is final', () => {
  const { main } = converse('turns: [{ error: { status: 400, message: Your credit balance is too low } }]')
  expect(main('a')).toBe(
    'The scenario (/package/evals/scenarios/case.yaml:1) has no credit left (400): Your credit balance is too low.',
  )
})

const TWINS = `
turns:
  - tools:
      - { name: Agent, input: { prompt: Look. }, turns: [First.] }
      - { name: Agent, input: { prompt: Look. }, turns: [Second., More.] }
      - { name: Agent, input: { prompt: Look there. }, turns: [Third.] }
  - Done.
`

test('sub-agents find their turns by prompt, those with equal prompts by the order they appear', () => {
  const { main, agent } = converse(TWINS)
  main('a')
  expect([
    agent('x', 'Look there.'),
    agent('y', 'Look.'),
    agent('z', 'Look.'),
    agent('z', 'Look.', 'more'),
    agent('y', 'Look.'),
    main('a', 'b'),
  ]).toEqual(['Third.', 'First.', 'Second.', 'More.', 'First.', 'Done.'])
})

test('a sub-agent inside a longer first message is found, and one inside another too', () => {
  const { main, agent } = converse(`
turns:
  - tools:
      - name: Agent
        input: { prompt: Look. }
        turns:
          - tools: [{ name: Agent, input: { prompt: Deeper. }, turns: [Deep.] }]
          - Up.
`)
  main('a')
  expect(agent('x', 'Reminder. Look. Today.').replace(/\(.*/, '')).toBe('Agent')
  expect([agent('y', 'Deeper.'), agent('x', 'Reminder. Look. Today.', 'b')]).toEqual(['Deep.', 'Up.'])
})

test('a forked skill, which is given its own text, finds the turns of its call', () => {
  const { main, agent } = converse(
    'turns: [{ tools: [{ name: Skill, input: { skill: pdf }, turns: [Forked.] }] }, Done.]',
  )
  main('a')
  expect(agent('x', '# PDF')).toBe('Forked.')
})

test('who has no turns is told what to write', () => {
  const { main, agent, side } = converse('turns: [{ tools: [{ name: Agent, input: { prompt: Look. } }] }, Done.]')
  main('a')
  main('b')
  expect([main('c'), agent('x', 'Look.'), side('x')]).toMatchInlineSnapshot(`
    [
      "/package/evals/scenarios/case.yaml:1: the main thread sent another request after its last turn in the scenario. The last message was: "c". Add a turn that answers it.",
      "/package/evals/scenarios/case.yaml: the scenario has no turns for the sub-agent given "Look.". Add \`turns\` to the tool call that starts it.",
      "/package/evals/scenarios/case.yaml: the scenario has no \`side\` turns for the CLI itself (hook). The last message was: "x". Add one.",
    ]
  `)
})

test('ids are unique in a run and equal in the next', () => {
  const first = converse(TWINS).main('a')
  expect(new Set(first.split(' ')).size).toBe(3)
  expect(converse(TWINS).main('a')).toBe(first)
})
