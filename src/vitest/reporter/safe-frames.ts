import { safeFrame } from '../source-frame.ts'
import type { TestModule } from 'vitest/node'

/** Gives the errors of tests their lines of a file that Vitest would print with what a terminal acts on. */
export function addSafeFrames(module: TestModule): void {
  const harmless = new Set<string>()
  for (const test of module.children.allTests()) {
    for (const error of test.result().errors ?? []) {
      const at = error.stacks?.[0]
      if (at === undefined || error['frame'] !== undefined || harmless.has(at.file)) continue
      const frame = safeFrame(at)
      if (frame === null) harmless.add(at.file)
      else Object.assign(error, { frame: ` ❯ ${at.line}:${at.column}\n${frame}` })
    }
  }
}
