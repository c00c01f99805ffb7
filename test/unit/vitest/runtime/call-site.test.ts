import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { AgentEvalsError } from '../../../../src/lib/errors.ts'
import { errorAt, movedTo, callSiteOf, positionIn, type CallSite } from '../../../../src/vitest/runtime/call-site.ts'

const HERE = fileURLToPath(import.meta.url)

function called(): CallSite {
  return callSiteOf(called)
}

function deeper(depth: number): CallSite {
  return depth === 0 ? called() : deeper(depth - 1)
}

test('a call has the place of its caller, not of the function that was called', () => {
  const { frames } = called()

  expect(frames.split('\n')[0]).not.toContain('at called')
  expect(positionIn({ frames }, HERE)).not.toBeNull()
})

test('a call through twenty functions still has its place', () => {
  expect(positionIn(deeper(20), HERE)).not.toBeNull()
})

test.each([
  ['a path', '    at run (/repo/a.test.ts:12:5)', { line: 12, column: 5 }],
  ['a URL', '    at file:///repo/a.test.ts:7:1', { line: 7, column: 1 }],
  ['the innermost of two', '    at /repo/a.test.ts:3:9\n    at /repo/a.test.ts:40:1', { line: 3, column: 9 }],
  ['another file', '    at /repo/b.test.ts:3:9', null],
  ['a file whose name only begins alike', '    at /repo/a.test.ts.map:3:9', null],
])('a position is read from %s', (_, frames, position) => {
  expect(positionIn({ frames }, '/repo/a.test.ts')).toEqual(position)
})

test('an error names the line of the test', () => {
  const place = { frames: '    at /repo/a.test.ts:3:9' }

  expect(errorAt(place, 'stale', 'It is stale.').stack).toBe(
    'AgentEvalsError: It is stale.\n    at /repo/a.test.ts:3:9',
  )
})

test('only our own errors are moved', () => {
  const place = { frames: '    at /repo/a.test.ts:3:9' }
  const ours = new AgentEvalsError('stale', 'It is stale.')
  const foreign = new Error('unexpected')
  const { stack } = foreign

  expect(movedTo(place, ours)).toHaveProperty('stack', 'AgentEvalsError: It is stale.\n    at /repo/a.test.ts:3:9')
  expect(movedTo(place, foreign)).toHaveProperty('stack', stack)
})
