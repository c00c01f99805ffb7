import { expect, test } from 'vitest'
import { findThread, type ModelMessage } from '../../../../src/recordings/messages.ts'
import { traffic } from '../../../../src/engines/claude-code/record-table.ts'

function user(...texts: string[]): ModelMessage {
  return { role: 'user', parts: texts.map((text) => ({ kind: 'text', text })) }
}

const REMINDER = '<system-reminder>\nThe date is today.\n</system-reminder>\n'

test.for([
  {
    name: 'the main thread',
    clues: {
      headers: {},
      system: ['You are a Claude agent, built on …'],
      messages: [user(REMINDER, 'Do it.')],
      tools: ['Bash'],
    },
    thread: { kind: 'main' },
  },
  {
    name: 'the main thread of an agent without tools',
    clues: { headers: {}, system: ["You are Claude Code, Anthropic's …"], messages: [user('Do it.')], tools: [] },
    thread: { kind: 'main' },
  },
  {
    name: 'an engine of any other kind',
    clues: { headers: {}, system: [], messages: [user('Do it.')], tools: [] },
    thread: { kind: 'main' },
  },
  {
    name: 'a sub-agent',
    clues: {
      headers: { 'x-claude-code-agent-id': 'a7b6' },
      system: [],
      messages: [user(REMINDER, 'Look there.\n'), user('more')],
      tools: ['Read'],
    },
    thread: { kind: 'agent', id: 'a7b6', prompt: 'Look there.' },
  },
  {
    name: 'a prompt hook',
    clues: {
      headers: {},
      system: ['You are evaluating a hook in Claude Code. …'],
      messages: [user('{}')],
      tools: [],
    },
    thread: { kind: 'side', name: 'hook' },
  },
  {
    name: 'a prompt hook of the end, which is sent below the whole conversation',
    clues: {
      headers: {},
      system: [
        'You are evaluating a stop-condition hook in Claude Code. Read the conversation transcript carefully, …',
      ],
      messages: [user('Look there.'), user('Based on the conversation transcript above, …')],
      tools: ['Read'],
    },
    thread: { kind: 'side', name: 'hook' },
  },
  {
    name: 'a web search',
    clues: {
      headers: {},
      system: ['You run a web search for another Claude model.'],
      messages: [user('q')],
      tools: ['web_search'],
    },
    thread: { kind: 'side', name: 'web-search' },
  },
  {
    name: 'compaction',
    clues: {
      headers: {},
      system: ['You are a Claude agent'],
      messages: [user('Do it.'), user('CRITICAL: Respond with TEXT ONLY. …')],
      tools: ['Bash'],
    },
    thread: { kind: 'side', name: 'compact' },
  },
  {
    name: 'what the CLI will come up with next',
    clues: { headers: {}, system: ['Summarise this Claude Code session.'], messages: [user('…')], tools: [] },
    thread: { kind: 'side', name: 'other' },
  },
])('tells $name', ({ clues, thread }) => {
  expect(findThread([traffic], clues)).toEqual(thread)
})
