import { expect, test } from 'vitest'
import { linesOf } from '../../../support/listed-lines.ts'

const ways =
  'Write "text" for a sentence that the judge decides, or a type such as "contains", "file_exists" or "tool-called"'

test('a type that is not known is named with the line of the check that says the same', async () => {
  const evals = [
    {
      id: 1,
      prompt: 'a',
      expectations: [
        { type: 'regex_match', text: 'Ends well', pattern: '^ok' },
        { text: 'Ends well', matches: '^ok' },
        { type: 'output_not_regex', text: 'No digits', pattern: '[0-9]' },
        { type: 'tool_was_called', text: 'Reads first', tool: 'Read' },
        { type: 'file_content_contains', text: 'Has a total', path: 'a.txt' },
        { type: 'semantic_match', text: 'Is kind' },
      ],
    },
    { id: 2, prompt: 'b', expectations: [{ type: 'regex_match', pattern: '^ok' }] },
  ]
  expect(await linesOf(evals)).toEqual([
    'eval of x: a | check "Ends well" | judge "Ends well" | judge "No digits" | judge "Reads first" | judge "Has a total (file a.txt)" | judge "Is kind"',
    'eval of x: b',
    'note 0.expectations.0.type: has no effect: unknown type "regex_match". For the check matches write "matches": "^ok" in place of the type',
    'note 0.expectations.0.pattern: has no effect: unknown field of an expectation',
    'note 0.expectations.2.type: has no effect: unknown type "output_not_regex". For the check not-matches write "not-matches": "[0-9]" in place of the type',
    'note 0.expectations.2.pattern: has no effect: unknown field of an expectation',
    'note 0.expectations.3.type: has no effect: unknown type "tool_was_called". For the check tool-called write "tool-called": "Read" in place of the type',
    'note 0.expectations.3.tool: has no effect: unknown field of an expectation',
    'note 0.expectations.4.type: has no effect: unknown type "file_content_contains". For the check file-contains write "file-contains": ... in place of the type',
    'note 0.expectations.5.type: has no effect: unknown field of an expectation',
    `note 1.expectations.0: unknown type "regex_match". For the check matches write "matches": "^ok" in place of the type. ${ways}`,
  ])
})
