import { expect, test } from 'vitest'
import { diffTexts } from '../../../src/lib/text-diff.ts'
import { spansOf } from '../../../src/page/case/events.ts'
import { describeEvent, inputTexts } from '../../../src/page/locate-quote.ts'
import { visibleLine, visibleText } from '../../../src/page/text.tsx'
import { HOSTILE } from '../../support/hostile-texts.ts'

test('characters that hide or reorder text are shown by their code', () => {
  expect(visibleLine('safe\u202Etxt.exe\u0007 \u{E0041}')).toBe('safeU+202Etxt.exeU+0007 U+E0041')
  expect(visibleText('a\tb\r\nc')).toEqual([{ text: 'a\tb\r\nc', kind: 'text', isMarked: false }])
})

test('no character of a hostile text is lost', () => {
  for (const text of HOSTILE) {
    const shown = visibleText(text)
      .map((part) => (part.kind === 'text' ? part.text : String.fromCodePoint(Number.parseInt(part.text.slice(2), 16))))
      .join('')
    expect(shown).toBe(text)
  }
})

test('a mark cuts a text at its ends and nowhere else', () => {
  expect(visibleText('one two', [{ start: 4, end: 99 }])).toEqual([
    { text: 'one ', kind: 'text', isMarked: false },
    { text: 'two', kind: 'text', isMarked: true },
  ])
})

test('a difference numbers the lines of both sides', () => {
  expect(diffTexts('a\nb\nc\n', 'a\nB\nc\n')).toMatchObject({
    added: 1,
    removed: 1,
    lines: [
      { kind: 'same', before: 1, after: 1 },
      { kind: 'removed', text: 'b', before: 2, after: null },
      { kind: 'added', text: 'B', before: null, after: 2 },
      { kind: 'same', before: 3, after: 3 },
    ],
  })
})

test('the input of a tool is shown value by value', () => {
  expect(inputTexts({ command: 'ls', todos: [{ text: 'a' }], none: {} })).toEqual([
    { path: '.command', text: 'ls' },
    { path: '.todos.0.text', text: 'a' },
    { path: '.none', text: '{}' },
  ])
  expect(inputTexts('a patch')).toEqual([{ path: '', text: 'a patch' }])
})

test('the time of a result begins with its call, in its own thread', () => {
  const events = [
    { n: 1, agent: null, kind: 'tool-call', id: 'a', tool: 'Bash', input: {} },
    { n: 2, agent: 'helper', kind: 'message', text: 'Working.' },
    { n: 3, agent: null, kind: 'tool-result', id: 'a', text: '', isError: false, blockedBy: null },
    { n: 4, agent: null, kind: 'message', text: 'Done.' },
  ] as const
  const spans = spansOf({ events, times: { 1: 100, 2: 300, 3: 900 } }, 1)
  expect(spans.get(3)).toEqual({ from: 100, to: 900, total: 1000 })
  expect(spans.get(2)).toEqual({ from: 100, to: 300, total: 1000 })
  expect(spans.has(4)).toBe(false)
})

test('an event is named as the judge was shown it', () => {
  expect(
    describeEvent({
      n: 1,
      agent: null,
      kind: 'hook',
      event: 'pre-tool-use',
      tool: 'Write',
      decision: 'blocked-exit-2',
      exitCode: 2,
      reason: '',
    }),
  ).toBe('hook pre-tool-use for Write decided blocked-exit-2')
})
