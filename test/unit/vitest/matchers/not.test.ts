import { expect, test } from 'vitest'
import * as matchers from '../../../../src/matchers.ts'
import { isRetryable } from '../../../../src/vitest/runtime/worker-process.ts'
import '../../../../src/register.ts'

const ERRORED = {
  status: 'api-error',
  problem: 'It answered 500.',
  problemCode: 'upstream-failed',
  output: '',
  transcript: [],
  files: { created: [], modified: [], deleted: [], unreadable: [] },
}

type OfTrigger = 'toHaveFired' | 'toHaveFiredAtLeast'

const OF_TRIGGER: Readonly<Record<OfTrigger, readonly unknown[]>> = { toHaveFired: [], toHaveFiredAtLeast: [0.5] }

const ARGUMENTS: Readonly<Record<Exclude<keyof typeof matchers, OfTrigger>, readonly unknown[]>> = {
  toBeBlocked: [],
  toContainOutput: ['x'],
  toHaveCalledNoTool: [],
  toHaveCalledTool: ['Bash'],
  toHaveFileContaining: ['a.txt', 'x'],
  toHaveMaxCostUsd: [1],
  toHaveMaxSeconds: [1],
  toHaveMaxTokens: [1],
  toHaveMaxTurns: [1],
  toMatchJsonSchema: [{}],
  toMatchOutput: [/x/],
  toHaveCalledToolsInOrder: [['Bash']],
  toHaveCreatedFile: ['a.txt'],
  toHaveHookOutput: ['x'],
  toHaveModifiedFile: ['a.txt'],
  toHaveRunHook: ['PreToolUse'],
  toHaveUsedSkill: ['pdf'],
  toMeetExpectations: [['It greets.']],
  toPassJudge: ['It greets.'],
  toScoreAtLeast: ['rubric.md'],
}

test.for(Object.entries(ARGUMENTS))('.not.%s is an error of a run that did not complete', async ([name, given]) => {
  for (const received of [ERRORED, null, 'text']) {
    const assertion = expect(received).not as unknown as Record<string, (...args: unknown[]) => unknown>
    const thrown = await (async (): Promise<unknown> => assertion[name]?.(...given))().then(
      () => null,
      (error: unknown) => error,
    )
    expect(thrown).toMatchObject({ code: received === ERRORED ? 'upstream-failed' : 'invalid-options' })
    expect(isRetryable(thrown)).toBe(true)
  }
})

test.for(Object.entries(OF_TRIGGER))('.not.%s is an error of what is no trigger', async ([name, given]) => {
  for (const received of [ERRORED, null, 'text', Promise.resolve()]) {
    const assertion = expect(received).not as unknown as Record<string, (...args: unknown[]) => unknown>
    expect(() => assertion[name]?.(...given)).toThrow(expect.objectContaining({ code: 'invalid-options' }) as Error)
  }
})

test('every matcher is in the list above', () => {
  expect(Object.keys({ ...ARGUMENTS, ...OF_TRIGGER }).toSorted()).toEqual(Object.keys(matchers).toSorted())
})
