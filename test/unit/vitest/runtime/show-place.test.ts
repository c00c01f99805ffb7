import { afterEach, expect, test } from 'vitest'
import { showPlace } from '../../../../src/vitest/runtime/describe-failure.ts'

const prepare = Error.prepareStackTrace
afterEach(() => {
  if (prepare === undefined) Reflect.deleteProperty(Error, 'prepareStackTrace')
  else Error.prepareStackTrace = prepare
})

test('a stack that holds a frame of the file tells the place alone', () => {
  Error.prepareStackTrace = () => 'all frames'
  const showStacks = showPlace('show-place.test.ts', { line: 7, column: 3 })
  const stack = new Error('here').stack ?? ''
  showStacks()
  expect(stack).toMatch(/^Error: here\n {4}at .+show-place\.test\.ts:7:3$/)
  expect(new Error('after').stack).toBe('all frames')
})

test('a stack without such a frame stays whole', () => {
  Error.prepareStackTrace = () => 'all frames'
  const showStacks = showPlace('/elsewhere/evals.json', { line: 7, column: 3 })
  const { stack } = new Error('here')
  showStacks()
  expect(stack).toBe('all frames')
})

test('where nothing maps stacks nothing is changed', () => {
  Reflect.deleteProperty(Error, 'prepareStackTrace')
  const showStacks = showPlace('show-place.test.ts', { line: 7, column: 3 })
  expect(Object.hasOwn(Error, 'prepareStackTrace')).toBe(false)
  showStacks()
  expect(Object.hasOwn(Error, 'prepareStackTrace')).toBe(false)
})
