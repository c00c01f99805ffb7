import { expect, test } from 'vitest'
import { whyNotOpened } from '../../../src/cli/commands/view.ts'

test.for([
  [{}, true, null],
  [{ CI: '' }, true, null],
  [{ CI: 'false' }, true, null],
  [{ CI: '0' }, true, null],
  [{ CI: 'true' }, true, 'CI is set'],
  [{}, undefined, 'there is no terminal'],
  [{ SSH_CONNECTION: '10.0.0.1 22' }, true, 'this is an SSH session'],
  [{ SSH_TTY: '/dev/pts/1' }, true, 'this is an SSH session'],
] as const)('%j with a terminal %s: %s', ([environment, isTerminal, reason]) => {
  expect(whyNotOpened(environment, isTerminal)).toBe(reason)
})
