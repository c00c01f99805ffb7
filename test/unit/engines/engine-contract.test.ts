import { expect, test } from 'vitest'
import { hookRuntimeOf, nativePayload } from '../../../src/assert/native-payload.ts'
import { allOf, engines } from '../../../src/engines/registry.ts'
import { hookRuntimes } from '../../../src/vitest/plugin/hook-runtimes.ts'
import { createPathOwnership } from '../../../src/workspace/path-ownership.ts'
import { barePackage } from '../../../src/packages/package.ts'
import type { HookTest } from '../../../src/suites/tests/test-suite.ts'
import type { DirectEngine } from '../../../src/engines/engine.ts'

const toy: DirectEngine = {
  ...(engines['messages'] as DirectEngine),
  name: 'toy',
  ownPaths: ['.toy'],
  hookRuntime: {
    title: 'Toy',
    fields: { toy_mode: 'playful' },
    toolCall: (name) => (name === 'Bash' ? { tool_name: 'play' } : 'a toy only plays'),
    variables: (root) => ({ TOY_ROOT: root }),
  },
}
const longer = { ...engines, toy }

test('what an engine of a longer list says of itself holds everywhere', () => {
  expect(() => createPathOwnership(allOf('ownPaths', longer)).add('.toy/x', 'a fixture')).toThrow('the engine')
  expect(() => createPathOwnership(allOf('ownPaths')).add('.toy/x', 'a fixture')).not.toThrow()

  const bare = barePackage({ root: '/', skills: [] })
  expect(hookRuntimes(bare, { environment: 'toy', option: null }, longer)).toEqual(['claude-code', 'toy'])
  expect(hookRuntimes(bare, { environment: 'toy', option: null })).toEqual(['claude-code'])
  const runtime = hookRuntimeOf('toy', longer)
  const event = { event: 'pre-tool-use', payload: { toolName: 'Bash' } } as unknown as HookTest
  expect(nativePayload(event, runtime, { cwd: '/', transcript: '/t' }).payload).toMatchObject({
    toy_mode: 'playful',
    tool_name: 'play',
  })
})
