import { expect, expectTypeOf, test } from 'vitest'
import '../../src/register.ts'
import type { AgentRun } from '../../src/transcript/transcript.ts'

declare const run: AgentRun

test('the matchers are on every expect, and return nothing to await', () => {
  expectTypeOf(expect(run).toContainOutput).parameter(0).toEqualTypeOf<string | RegExp>()
  expectTypeOf(expect(run).toContainOutput('x')).toEqualTypeOf<void>()
  expectTypeOf(expect(run).not.toHaveCreatedFile).parameters.toEqualTypeOf<[path: string]>()
  expectTypeOf(expect.soft(run).toHaveModifiedFile).parameters.toEqualTypeOf<[path: string]>()
  expectTypeOf(expect(run).toHaveUsedSkill).parameters.toEqualTypeOf<[name: string]>()
  expectTypeOf(expect(run).toHaveCalledToolsInOrder).parameter(0).toEqualTypeOf<readonly string[]>()
})

test('a block can name what blocked', () => {
  expect(run).toBeBlocked()
  expect(run).toBeBlocked({ by: 'hook' })
  expect(run).toBeBlocked({ by: 'permission' })
  expect(run).toBeBlocked({ by: 'sandbox' })
  // @ts-expect-error: nothing else blocks
  expect(run).toBeBlocked({ by: 'luck' })
})

test('a tool call can be narrowed', () => {
  expect(run).toHaveCalledTool('Bash')
  expect(run).toHaveCalledTool('Bash', { input: { command: 'ls' }, times: 2 })
  // @ts-expect-error: a count is a number
  expect(run).toHaveCalledTool('Bash', { times: 'twice' })
})

test('a judge is awaited', () => {
  expectTypeOf(expect(run).toPassJudge('It greets.')).toEqualTypeOf<Promise<void>>()
  expectTypeOf(expect(run).not.toMeetExpectations(['It greets.'], { judge: 'claude-sonnet', votes: 3 })).toEqualTypeOf<
    Promise<void>
  >()
  expectTypeOf(expect(run).toScoreAtLeast('rubric.md', { min: 4.5 })).toEqualTypeOf<Promise<void>>()
  // @ts-expect-error: expectations are a list
  void expect(run).toMeetExpectations('It greets.')
})
