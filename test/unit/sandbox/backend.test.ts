import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { backends } from '../../../src/sandbox/backends.ts'
import { sandboxCommand } from '../../../src/sandbox/command.ts'
import { decideSandbox } from '../../../src/sandbox/decide.ts'
import { hostPaths } from '../../../src/sandbox/host-paths.ts'
import { unconfinedCommand } from '../../../src/sandbox/none.ts'
import { sandboxPaths } from '../../../src/sandbox/paths.ts'
import { runSandboxed } from '../../../src/sandbox/run.ts'
import type { Backend } from '../../../src/sandbox/backend.ts'
import type { SandboxChoice } from '../../../src/sandbox/sandbox.ts'

/** A sandbox of mere words: sessions see one more variable, and their files in another place. */
const toy: Backend = {
  isUsual: () => true,
  probeKey: () => 'toy',
  probe: () => Promise.resolve({ works: true, enforced: 'toy (words)', found: null }),
  command: (_, request, { environment }) =>
    unconfinedCommand({ ...request, env: { ...request.env, IN_TOY: 'yes' } }, environment),
  paths: (place) => ({ ...hostPaths(place), workspace: '/toy' }),
  remedy: () => 'Believe in it.',
}
const longer = { toy, ...backends }

test.for(['auto', 'toy'] as const)('a backend that is added to the list confines a session: %s', async (choice) => {
  await using files = await createFixture({})
  const place = { environment: {}, probes: new Map(), backends: longer }
  const decision = await decideSandbox(choice as SandboxChoice, place)
  expect(decision).toEqual({ backend: 'toy', asked: choice, enforced: 'toy (words)', found: null, notice: null })

  const gateway = { network: false, gatewaySocket: '', gatewayPort: 1, bridge: false }
  const session = { ...gateway, root: files.path, executable: process.execPath, shim: '' }
  expect(sandboxPaths(decision, session, 'linux', longer).workspace).toBe('/toy')
  const show = "console.log(process.env.IN_TOY, process.cwd().endsWith('workspace'))"
  const request = {
    ...session,
    arguments: ['-e', show],
    env: {},
    readOnly: [],
    writablePaths: ['out'],
    decoyEtc: false,
  }
  const result = await runSandboxed(sandboxCommand(decision, request, {}, longer), { deadlineMs: 30_000 })
  expect({ code: result.exitCode, printed: result.stdoutTail.trim() }).toEqual({ code: 0, printed: 'yes true' })
})
