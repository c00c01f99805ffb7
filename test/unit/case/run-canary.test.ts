import { expect, test } from 'vitest'
import { findOutWhetherSkillsFire, noteRunsUnderWay, noteSkillUse } from '../../../src/case/run-canary.ts'
import type { CanaryRequest } from '../../../src/case/run-canary.ts'

// A canary that ran would need all that is missing here.
function request(suite: object): CanaryRequest {
  return { suite, settings: {}, like: { engine: { engine: { name: 'claude-code' } } } } as unknown as CanaryRequest
}

test('the canary waits for the runs of its suite, and does not run where one of them uses a skill', async () => {
  const suite = {}
  const others = [noteRunsUnderWay(suite), noteRunsUnderWay(suite)]
  const asked = [findOutWhetherSkillsFire(request(suite)), findOutWhetherSkillsFire(request(suite))]
  others[0]?.()
  expect(await Promise.race([...asked, Promise.resolve('waits')])).toBe('waits')
  noteSkillUse(suite, 'another-engine')
  expect(await Promise.race([...asked, Promise.resolve('waits')])).toBe('waits')
  noteSkillUse(suite, 'claude-code')
  expect(await Promise.all(asked)).toEqual([null, null])
})

test('the canary runs when all runs are over and none has used a skill', async () => {
  const suite = {}
  const over = noteRunsUnderWay(suite)
  const asked = findOutWhetherSkillsFire(request(suite))
  over()
  await expect(asked).rejects.toThrow(TypeError)
})
