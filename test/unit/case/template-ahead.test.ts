import { afterEach, expect, test, vi } from 'vitest'
import { meetOtherArm } from '../../../src/case/template-ahead.ts'

afterEach(() => {
  vi.useRealTimers()
})

test('the arm that comes first waits for the same run of the other', async () => {
  const gone: string[] = []
  const come = async (label: string): Promise<void> => {
    await meetOtherArm(label, new AbortController().signal)
    gone.push(label)
  }
  const first = come('a.json#met (run 1)')
  const another = come('a.json#met@variant (run 2)')
  await Promise.resolve()
  expect(gone).toEqual([])
  await Promise.all([come('a.json#met@variant (run 1)'), first])
  expect(gone.toSorted()).toEqual(['a.json#met (run 1)', 'a.json#met@variant (run 1)'])
  await Promise.all([come('a.json#met (run 2)'), another])
  // A run that is tried again finds nobody, and has met already.
  await come('a.json#met (run 1)')
  expect(gone).toHaveLength(5)
})

test('who meets nobody goes on after a while, and at once where the run is cancelled', async () => {
  vi.useFakeTimers()
  const alone = meetOtherArm('a.json#alone', new AbortController().signal)
  await vi.runAllTimersAsync()
  await alone

  const cancelled = new AbortController()
  const waits = meetOtherArm('a.json#cancelled', cancelled.signal)
  cancelled.abort()
  await waits
  await meetOtherArm('a.json#ended', cancelled.signal)
})
