import { expect, test } from 'vitest'
import { linesOf } from '../../../support/listed-lines.ts'

// What authors write about a result, and the text that a prompt speaks of.
test.for<readonly [string, unknown, readonly string[]]>([
  [
    'lists where one text is usual',
    [
      { id: 1, prompt: 'a', expected_output: ['Names the shop', 'Asks for the date'] },
      {
        id: 2,
        prompt: 'b',
        expected: { skills: ['x'], must_not_select: ['y'], output: ['Asks'], failure_indicators: ['Guesses a price'] },
      },
    ],
    [
      'eval of x: a | judge "Names the shop" | judge "Asks for the date"',
      'eval of x: b | check "The skill x is used." | check "The skill y is not used." | judge "Asks" | judge "This must not be the case (failure indicators): Guesses a price"',
    ],
  ],
  [
    'what is expected beside a route and other expectations',
    [
      { id: 1, prompt: 'a', expected_activation: 'x', expected_behavior: 'Asks', expected_output_traits: ['A list'] },
      { id: 2, prompt: 'b', expected_activation: 'y', must_not_activate: ['x'], must_not_ask: ['x', 'the date'] },
      { id: 3, prompt: 'c', should_trigger: true, expected_route: 'query.py' },
    ],
    [
      'eval of x: a | check "The skill x is used." | judge "Asks" | judge "Expected output traits: A list"',
      'eval of x: b | check "The skill y is used." | check "The skill x is not used." | judge "Must not ask: x" | judge "Must not ask: the date"',
      'trigger of x: c | check "The skill x is used."',
      'note 2.expected_route: has no effect: unknown field',
    ],
  ],
  [
    'the text that a prompt speaks of',
    [{ id: 1, prompt: 'Shorten this.', source_text: 'A long letter.', expectations: ['Is short'] }],
    ['eval of x: Shorten this.\n\nA long letter. | judge "Is short"'],
  ],
  [
    'expectations that are kept and taken out',
    [
      {
        id: 1,
        prompt: 'a',
        assertions: [
          { text: 'Asks', retired: false },
          { text: 'Writes a plan', retired: 'the old layout' },
          { type: 'contains', value: 'Dear', disabled: true },
        ],
      },
    ],
    [
      'eval of x: a | judge "Asks"',
      'note 0.assertions.0.retired: has no effect: unknown field',
      'note 0.assertions.1: has no effect: "retired" takes it out',
      'note 0.assertions.2: has no effect: "disabled" takes it out',
    ],
  ],
])('lists %s', async ([, value, lines]) => {
  expect(await linesOf(value)).toEqual(lines)
})
