import { expect, test } from 'vitest'
import { saysNothing } from '../../../src/transcript/select.ts'

test.for([
  '',
  ' \n\t',
  ':',
  '.',
  '...',
  '—',
  '\u200B\u200B',
  '**',
  '#',
  'Thought process:',
  'thought process',
  'Solution',
  '**Answer:**',
  "Let's think step by step.",
  '解',
  'Final answer:\n',
])('J4: %j says nothing', (output) => {
  expect(saysNothing(output)).toBe(true)
})

test.for(['3', 'no', 'Done.', 'Answer: 3', 'Thought process: I read the file.', '👍', `:${' '.repeat(300)}x`])(
  '%j says something',
  (output) => {
    expect(saysNothing(output)).toBe(false)
  },
)
