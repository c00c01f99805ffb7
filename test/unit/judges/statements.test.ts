import { expect, test } from 'vitest'
import { splitCriteria } from '../../../src/formats/criteria.ts'

test.for([
  ['', []],
  ['  \n ', []],
  ['Be nice', ['Be nice']],
  ['One holds. Two holds!  Three holds?', ['One holds.', 'Two holds!', 'Three holds?']],
  ['A line\nthat goes on. Next.', ['A line that goes on.', 'Next.']],
  ['Costs 3.50 per item. Version 1.2.3 is named.', ['Costs 3.50 per item.', 'Version 1.2.3 is named.']],
  ['It writes out.txt and a.b.c files.', ['It writes out.txt and a.b.c files.']],
  ['Names a tool, e.g. Bash. Uses it, i.e. Runs it.', ['Names a tool, e.g. Bash.', 'Uses it, i.e. Runs it.']],
  ['As Mr. Smith said vs. No. 5 of J. Doe. End.', ['As Mr. Smith said vs. No. 5 of J. Doe.', 'End.']],
  ['It says "done." Then it stops.', ['It says "done."', 'Then it stops.']],
  ['Wait... and see. `x` is set. /etc stays.', ['Wait... and see.', '`x` is set.', '/etc stays.']],
  ['出力は完全。捏造しない！', ['出力は完全。', '捏造しない！']],
  ['- one\n- two. Still two.\n* three', ['one', 'two. Still two.', 'three']],
  ['1. one\n2) two\n   goes on\n10. ten', ['one', 'two goes on', 'ten']],
  ['The answer must:\n- name the page\n- quote it', ['The answer must: name the page', 'The answer must: quote it']],
  ['Intro sentence.\n\n- one\n\nAfter. More.', ['Intro sentence.', 'one', 'After.', 'More.']],
  ['- [x] ticked\n- [ ] open', ['[x] ticked', '[ ] open']],
  ['Same. Same. Same.', ['Same.']],
  ['Evaluate the grader script quality:\n\nIt runs.', ['It runs.']],
  ['# Scenario: a refund\n\nIt asks for the receipt.', ['It asks for the receipt.']],
  ['**Scope**\n\nIt names the limit.', ['It names the limit.']],
  ['Say this:', ['Say this:']],
  ['...', []],
  ['a\r\nb. C', ['a b.', 'C']],
] as const)('%j is split', ([criteria, statements]) => {
  expect(splitCriteria(criteria)).toEqual(statements)
})

test('a long text without an end is split in no time', () => {
  expect(splitCriteria('a. '.repeat(50_000))).toHaveLength(1)
  expect(splitCriteria('- x'.repeat(50_000))).toHaveLength(1)
})
