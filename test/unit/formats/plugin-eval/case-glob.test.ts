import { expect, test } from 'vitest'
import { matchesCaseName } from '../../../../src/lib/text.ts'

const NAMES = ['Delta', 'alpha', 'alpha-beta', '{alpha,gamma}', '[z]', 'x.y', 'gamma', '.hid', 'a/b', 'with space']

// What Claude Code 2.1.330 ran for each value of --case.
test.for([
  ['*', NAMES],
  ['alpha*', ['alpha', 'alpha-beta']],
  ['a*', ['alpha', 'alpha-beta', 'a/b']],
  ['a*b', ['a/b']],
  ['a/*', ['a/b']],
  ['a?b', ['a/b']],
  ['?lpha', ['alpha']],
  ['*mma', ['gamma']],
  ['*hid', ['.hid']],
  ['*h*p*', ['with space']],
  ['x?y', ['x.y']],
  ['x.y', ['x.y']],
  ['{alpha,gamma}', ['{alpha,gamma}']],
  ['[z]', ['[z]']],
  ['[ad]lpha', []],
  ['al', []],
  ['GAMMA', []],
  ['group/gamma', []],
  ['alpha,gamma', []],
  ['alpha|gamma', []],
  ['+(alpha)', []],
  ['!(alpha)', []],
  ['\\[z\\]', []],
] as const)('%s', ([glob, names]) => {
  expect(NAMES.filter((name) => matchesCaseName(glob, name))).toEqual(names)
})
