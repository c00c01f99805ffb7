import { expect, test, vi } from 'vitest'
import type { TestProject, Vitest } from 'vitest/node'
import { listenForRecordShortcut } from '../../../../src/vitest/watch/watch-cases.ts'
import type { RunSettings } from '../../../../src/options/settings.ts'

test('the key runs only the outdated cases of a line that several cases share', async () => {
  const run = vi.fn<(specifications: readonly object[]) => Promise<void>>(() => Promise.resolve())
  const vitest = {
    config: { watch: true },
    onClose: () => undefined,
    rerunTestSpecifications: run,
  } as unknown as Vitest
  const project = {
    createSpecification: (moduleId: string, testLines: readonly number[]) => ({ moduleId, testLines }),
    provide: () => undefined,
  } as unknown as TestProject
  const settings = { root: '/p', source: 'auto' } as unknown as RunSettings
  const wasTerminal = process.stdin.isTTY
  process.stdin.isTTY = true
  // While Vitest's own listener is off, a key means nothing.
  process.stdin.on('keypress', function keypressHandler() {})
  try {
    const shortcut = listenForRecordShortcut({ vitest, project, settings })
    const at = { line: 1, column: 40 }
    shortcut.offer([
      { file: 'evals.json', at, name: 'b (1+1)', sharesLine: true },
      { file: 'other.json', at: { line: 3, column: 1 }, name: 'c' },
    ])
    process.stdin.emit('keypress', 'l', { name: 'l' })
    await expect.poll(() => run).toHaveBeenCalledOnce()
  } finally {
    process.stdin.isTTY = wasTerminal
    process.stdin.removeAllListeners('keypress')
  }
  expect(run.mock.calls[0]?.[0]).toEqual([
    { moduleId: '/p/evals.json', testLines: [1], testNamePattern: /^(?:b \(1\+1\))$/ },
    { moduleId: '/p/other.json', testLines: [3] },
  ])
})
