import { expect, test } from 'vitest'
import { flagHelp, readFlags } from '../../../src/cli/flags.ts'

const FLAGS = {
  output: { type: 'string', short: 'o', value: 'FILE', help: 'where the report goes' },
  root: { type: 'string', value: 'FOLDER', help: 'where to look' },
  json: { type: 'boolean', help: 'print JSON' },
} as const

test('one table yields the parser of a command and its help', () => {
  const { values, positionals } = readFlags(FLAGS, ['a', '-o', 'x.json', '--root=evals', '--json', '--', '--b'])
  expect({ ...values }).toEqual({ output: 'x.json', root: 'evals', json: true })
  expect(positionals).toEqual(['a', '--b'])
  expect(flagHelp(FLAGS)).toEqual([
    '  -o FILE        where the report goes',
    '  --root FOLDER  where to look',
    '  --json         print JSON',
  ])
})

test.each([
  [['--output'], /--output <value>' argument missing/],
  [['--jsno'], /^--jsno is unknown\. Did you mean --json\? --help shows all options\.$/],
  [['--verbose'], /^--verbose is unknown\. --help shows all options\.$/],
  [['--json=yes'], /does not take an argument/],
])('%j is an invalid option', (argv, message) => {
  expect(() => readFlags(FLAGS, argv)).toThrow(
    expect.objectContaining({ code: 'invalid-options', message: expect.stringMatching(message) }),
  )
})
