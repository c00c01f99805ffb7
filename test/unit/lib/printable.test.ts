import { expect, test } from 'vitest'
import {
  gutter,
  oneLine,
  toPrintable,
  toPrintableLine,
  toPrintableMessage,
  withoutCommands,
} from '../../../src/lib/text.ts'

test('R1: shows what a terminal would act on', () => {
  const hostile = 'a\u001B]52;c;ZXZpbA==\u0007b\u009B2Jc\rd\be\u0000f\u202Eg\u200Bh\u{E0041}i\uD800j\u2028k\u007F'
  expect(toPrintable(hostile)).toBe(
    String.raw`a\x1b]52;c;ZXZpbA==\x07b\x9b2Jc\rd\be\x00f\u202eg\u200bh\u{e0041}i\ud800j\u2028k\x7f`,
  )
})

test('keeps ordinary text as it is', () => {
  expect(toPrintable('Grüße, 日本語 🧪\r\n\tindented\n')).toBe('Grüße, 日本語 🧪\n\tindented\n')
})

test('R2: keeps commands to a CI log from the start of a line and from within it', () => {
  expect(gutter('::error file=a::boo\n\n ##[error]x ##vso[task.complete]')).toBe(
    String.raw`  | ::error file=a::boo
  |
  |  #\x23[error]x #\x23vso[task.complete]`,
  )
})

test('leaves a message as it is but for lines that would be commands', () => {
  expect(toPrintableMessage('expected a::b\n::error::boo\n  plain')).toBe('expected a::b\n  | ::error::boo\n  plain')
  expect(toPrintableMessage('after an empty line\n\n ::error::boo')).toBe('after an empty line\n\n  |  ::error::boo')
})

test('no text is a command to a CI log, behind colours or a character that is left out either', () => {
  const commands = '\u001B[31m ::error::a\nb ::c\n##[error]d ##vso[e]'
  expect(withoutCommands(commands)).toBe('  | \u001B[31m ::error::a\nb ::c\n#\\x23[error]d #\\x23vso[e]')
  expect(oneLine('#\u200B#[error]a')).toBe(String.raw`#\x23[error]a`)
})

test('puts a name on one line', () => {
  expect(toPrintableLine('a\n\tb')).toBe(String.raw`a\n\tb`)
})
