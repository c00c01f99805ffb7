import { expect, test } from 'vitest'
import { renderCommand } from '../../../../src/case/free-tests/run-free-test.ts'
import type { Command, CommandVariable } from '../../../../src/packages/package.ts'

function command(
  body: string,
  ...variables: readonly (Partial<CommandVariable> & { readonly name: string })[]
): Command {
  const complete = variables.map((one) => ({ description: null, required: false, enum: null, default: null, ...one }))
  return { name: 'c', file: '/c.md', description: '', body, variables: complete }
}

test('values, defaults and empty ones take their places', () => {
  const template = command(
    '{{a}} {{ b }}-{{c}}.',
    { name: 'a', required: true },
    { name: 'b', default: 'B' },
    { name: 'c' },
  )
  expect(renderCommand(template, { a: '{{b}} $& $1' })).toEqual({ text: '{{b}} $& $1 B-.', problems: [] })
})

test('a default serves a required variable, as in the text of the format', () => {
  expect(renderCommand(command('{{a}}', { name: 'a', required: true, enum: ['x'], default: 'x' }), {}).text).toBe('x')
})

test('every reason why it cannot be rendered', () => {
  const template = command('{{a}} {{z}}', { name: 'a', required: true }, { name: 'b', enum: ['x', 'y'] })
  expect(renderCommand(template, { b: 'q' })).toEqual({
    text: null,
    problems: [
      'the required variable "a" has no value',
      '"b" is "q"; it may be x, y',
      '{{z}} is not a variable of the command',
    ],
  })
})
