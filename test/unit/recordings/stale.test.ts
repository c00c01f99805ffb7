import { describe, expect, test } from 'vitest'
import { findStale, findUnseen, type Present } from '../../../src/recordings/stale.ts'
import type { Conversation } from '../../../src/recordings/conversation.ts'
import type { PackageTexts } from '../../../src/recordings/visible-texts.ts'
import { agentThread, conversationOf, mainThread, ours, record, turnOf } from '../../support/recorded-conversation.ts'

const BODY = 'Read the file first.\nThen run scripts/extract.sh on it.\nNever guess what it holds.'
const TEXTS = {
  'evals/cases/one.yaml#prompt': 'Extract the text.',
  'skills/a/SKILL.md#description': 'Extracts the text of a file.',
  'skills/a/SKILL.md#body': BODY,
  'agents/b.md#prompt': 'You review what others wrote.',
}

/** A session of an engine that lists skills at once and shows a body when it is loaded. */
function session({ texts }: PackageTexts, listed = '- a: '): Conversation {
  const text = (part: string): string => texts.find((one) => one.part === part)?.text ?? ''
  return conversationOf(
    mainThread(
      turnOf({ texts: ['You are a Claude agent.', `${listed}${text('description')}`] }),
      turnOf({ texts: [`Base directory: /workspace\n\n${text('body')}`] }),
      turnOf({}),
    ),
    agentThread('Look.', turnOf({ texts: [texts.find(({ path }) => path === 'agents/b.md')?.text ?? ''] })),
  )
}

function presentOf(texts: Readonly<Record<string, string>>, more: Partial<Present> = {}): Present {
  const now = ours(texts)
  const inputs = [{ path: 'skills/a/SKILL.md', role: 'package' as const, hash: 'after' }]
  return { conversation: session(now), ours: now, inputs, engineVersion: '2.1.330', ...more }
}

const RECORDING = record(session(ours(TEXTS)), ours(TEXTS))

function staleAfter(changed: Readonly<Record<string, string>>, more: Partial<Present> = {}): readonly string[] {
  const stale = findStale(RECORDING, presentOf({ ...TEXTS, ...changed }, more))
  return stale.map(({ path, part, why }) => `${path} ${part} ${why}`)
}

describe('a text that the model saw', () => {
  test('is stored at the request that showed it first', () => {
    expect(
      RECORDING.lanes.map(({ turns }) => turns.map(({ sees }) => sees.map(({ path, part }) => `${path} ${part}`))),
    ).toEqual([
      [['evals/cases/one.yaml prompt', 'skills/a/SKILL.md description'], ['skills/a/SKILL.md body'], []],
      [['agents/b.md prompt']],
    ])
  })

  test.for([
    ['a word', BODY.replace('guess', 'invent')],
    ['a new line at the end', `${BODY}\nSay thanks.`],
    ['a new line in the middle', BODY.replace('Then', 'Wait a while.\nThen')],
    ['the order', BODY.split('\n').toReversed().join('\n')],
    ['a line less', BODY.split('\n').slice(0, 2).join('\n')],
  ] as const)('is stale after an edit: %s', ([, body]) => {
    expect(staleAfter({ 'skills/a/SKILL.md#body': body })).toEqual(['skills/a/SKILL.md body changed'])
  })

  test('is not stale for another indentation or empty lines', () => {
    expect(staleAfter({ 'skills/a/SKILL.md#body': BODY.replaceAll('\n', '\n\n  ') })).toEqual([])
  })

  test('is stale when its file is gone, and the prompt always counts', () => {
    const { 'agents/b.md#prompt': _, ...rest } = TEXTS
    expect(findStale(RECORDING, presentOf(rest)).map(({ path, why }) => [path, why])).toEqual([['agents/b.md', 'gone']])
    expect(staleAfter({ 'evals/cases/one.yaml#prompt': 'Extract all text.' })).toEqual([
      'evals/cases/one.yaml prompt changed',
    ])
  })

  test('is stale when the same engine shows it no more, but not when another version does', () => {
    const quiet = conversationOf(
      mainThread(turnOf({}), turnOf({ texts: [BODY] }), turnOf({})),
      agentThread('Look.', turnOf({})),
    )
    expect(staleAfter({}, { conversation: quiet })).toEqual([
      'skills/a/SKILL.md description not-shown',
      'agents/b.md prompt not-shown',
    ])
    expect(staleAfter({}, { conversation: quiet, engineVersion: '2.2.0' })).toEqual([])
    expect(staleAfter({ 'skills/a/SKILL.md#body': 'Other.' }, { conversation: quiet, engineVersion: '2.2.0' })).toEqual(
      ['skills/a/SKILL.md body changed'],
    )
  })
})

test('what the model never saw cannot make a recording stale', () => {
  const unread = conversationOf(mainThread(turnOf({ texts: ['- a: Extracts the text of a file.'] })))
  const recording = record(unread, ours(TEXTS))
  const present = presentOf({
    ...TEXTS,
    'skills/a/SKILL.md#body': 'Something else altogether.',
    'agents/b.md#prompt': 'New.',
  })
  expect(findStale(recording, { ...present, conversation: unread })).toEqual([])
})

test('equal hashes of all inputs settle it', () => {
  const inputs = [{ path: 'skills/a/SKILL.md', role: 'package' as const, hash: 'before' }]
  expect(staleAfter({ 'skills/a/SKILL.md#body': 'Other.' }, { inputs })).toEqual([])
})

test('lines that an engine fills in count as seen', () => {
  const body = 'First read all of it.\nThen do what it says.\nRun ${CLAUDE_SKILL_DIR}/a.sh now.\nNever skip a step.'
  const shown = body.replace('${CLAUDE_SKILL_DIR}', '/workspace')
  const texts = ours({ 'skills/a/SKILL.md#body': body })
  const conversation = conversationOf(mainThread(turnOf({ texts: [shown] })))
  const changed = ours({ 'skills/a/SKILL.md#body': body.replace('a.sh', 'b.sh') })
  const present = presentOf({}, { conversation, ours: changed })
  expect(findStale(record(conversation, texts), present)).toMatchObject([{ part: 'body', why: 'changed' }])
})

test('a text is seen once its first lines are shown, also where a long one is cut off', () => {
  const words = Array.from({ length: 80 }, (_, index) => `word${index}`).join(' ')
  const description = 'skills/a/SKILL.md#description'
  const staleWhere = (shown: string): readonly unknown[] => {
    const conversation = conversationOf(mainThread(turnOf({ texts: [`- a: ${shown}…`] })))
    const recording = record(conversation, ours({ [description]: words }))
    const edited = ours({ [description]: words.replace('word79', 'other') })
    return findStale(recording, presentOf({}, { conversation, ours: edited }))
  }
  expect(staleWhere(words.slice(0, 400))).toMatchObject([{ part: 'description', why: 'changed' }])
  expect(staleWhere(words.slice(0, 40))).toEqual([])
})

test('the description of an MCP tool is compared where it is offered', () => {
  const offer = (description: string): Conversation =>
    conversationOf(
      mainThread(
        turnOf({}),
        turnOf({
          offers: [
            { name: 'mcp__s__count', description },
            { name: 'Bash', description: 'Runs.' },
          ],
        }),
      ),
    )
  const recording = record(offer('Counts pages.'), ours({}))
  const after = (conversation: Conversation, engineVersion = '2.1.330'): readonly unknown[] =>
    findStale(recording, presentOf({}, { conversation, ours: ours({}), engineVersion })).map(({ path, part, why }) => [
      path,
      part,
      why,
    ])
  expect(after(offer('Counts pages.'))).toEqual([])
  expect(after(offer('Counts words.'))).toEqual([['mcp/server.mjs', 'tool mcp__s__count', 'changed']])
  expect(after(conversationOf(mainThread(turnOf({}), turnOf({}))))).toEqual([
    ['mcp/server.mjs', 'tool mcp__s__count', 'gone'],
  ])
  expect(after(conversationOf(mainThread(turnOf({}), turnOf({}))), '2.2.0')).toEqual([])
})

test('a text that is new is told, and is no edit', () => {
  const rule = { 'rules/new.md#rule': 'Always answer in verse.' }
  const conversation = conversationOf(
    mainThread(turnOf({ texts: ['- a: Extracts the text of a file.\nAlways answer in verse.'] })),
  )
  const present = presentOf({ ...TEXTS, ...rule }, { conversation })
  expect(findUnseen(RECORDING, present)).toEqual(['rules/new.md (rule)'])
})
