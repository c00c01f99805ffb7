import { expect, test } from 'vitest'
import { mapInPortions } from '../../../src/lib/lists.ts'

test('portions keep the order of items, and at most 64 are under way at once', async () => {
  let open = 0
  let most = 0
  const items = Array.from({ length: 150 }, (_, index) => index)
  const results = await mapInPortions(items, async (item) => {
    most = Math.max(most, (open += 1))
    await Promise.resolve()
    open -= 1
    return item * 2
  })
  expect(results).toEqual(items.map((item) => item * 2))
  expect(most).toBe(64)
})
