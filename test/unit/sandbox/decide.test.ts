import { createFixture } from 'fs-fixture'
import { chmod } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { decideSandbox, needsPort, settleSandbox, type DecisionContext } from '../../../src/sandbox/decide.ts'
import type { FsFixture } from 'fs-fixture'

const REFUSES = '#!/bin/sh\necho "bwrap: setting up uid map: Permission denied" >&2\nexit 1\n'

function place(folder: string, environment: Record<string, string> = {}, inContainer = false): DecisionContext {
  return { environment: { PATH: folder, ...environment }, probes: new Map(), inContainer, isRoot: false }
}

async function refusingBubblewrap(): Promise<FsFixture> {
  const files = await createFixture({ bwrap: REFUSES })
  await chmod(files.getPath('bwrap'), 0o755)
  return files
}

test.for([
  // Who knows no sockets reaches the gateway by a bridge.
  ['bubblewrap', { bridge: true, network: false }, false],
  ['bubblewrap', { bridge: false, network: true }, false],
  ['bubblewrap', { bridge: true, network: true }, true],
  ['none', { bridge: false, network: false }, false],
  ['none', { bridge: true, network: false }, true],
  ['sandbox-runtime', { bridge: false, network: false }, true],
] as const)('in %s a session of %j has a port that other users reach: %s', ([backend, session, expected]) => {
  expect(needsPort({ backend }, session)).toBe(expected)
})

test('uses none where it is asked for, without looking for anything', async () => {
  expect(await decideSandbox('none', place('/nowhere'))).toEqual({
    backend: 'none',
    asked: 'none',
    enforced: 'none',
    notice: null,
  })
})

test.for(['auto', 'bubblewrap'] as const)('errs for %s where bubblewrap is missing', async (choice) => {
  await expect(decideSandbox(choice, place('/nowhere'))).rejects.toMatchObject({
    code: 'sandbox-unavailable',
    message: expect.stringMatching(
      /^The sandbox bubblewrap does not work here: bubblewrap not found\. Install it: .*bubblewrap.*--sandbox none/s,
    ) as string,
  })
})

test('errs for auto where bubblewrap does not start, with what it said', async () => {
  await using files = await refusingBubblewrap()
  await expect(decideSandbox('auto', place(files.path))).rejects.toThrow(
    'The sandbox bubblewrap does not work here: bwrap: setting up uid map: Permission denied.',
  )
})

test.for([
  ['auto', { CI: 'true' }, false, 'none (CI)'],
  ['auto', { CI: 'true' }, true, 'none (container)'],
  ['auto', {}, true, 'none (container)'],
  ['prefer', {}, false, 'none (bubblewrap does not work)'],
  ['prefer', { CI: '1' }, false, 'none (CI)'],
] as const)('falls back for %s with %j in a container: %s', async ([choice, environment, inContainer, enforced]) => {
  await using files = await refusingBubblewrap()
  const decision = await decideSandbox(choice, place(files.path, environment, inContainer))

  expect(decision).toEqual({
    backend: 'none',
    asked: choice,
    enforced,
    notice: `agent-evals: no sandbox ${enforced.slice(5)}: bwrap: setting up uid map: Permission denied. Agents run with your rights; writable paths, network and the registration of hooks are not enforced.`,
  })
})

test('says for prefer that bubblewrap was not found', async () => {
  const decision = await decideSandbox('prefer', place('/nowhere'))
  expect([decision.enforced, decision.backend]).toEqual(['none (bubblewrap not found)', 'none'])
})

test.for([
  ['a repository', { '.git/HEAD': '' }],
  ['a folder without git', {}],
] as const)(
  'lets the own recordings and scenarios of %s run without a sandbox, and says so loudly',
  async ([, files]) => {
    await using repository = await createFixture(files)
    const settled = await settleSandbox('auto', { ...place('/nowhere'), root: repository.path })
    expect(settled).toEqual({
      code: 'sandbox-unavailable',
      message: expect.stringMatching(/^The sandbox bubblewrap does not work here/) as string,
      ownRepository: {
        backend: 'none',
        asked: 'auto',
        enforced: 'none (bubblewrap not found)',
        notice: expect.stringMatching(
          /^agent-evals: NO SANDBOX \(bubblewrap not found\)\. Recordings and scenarios of this project run with your rights; .* Live cases are errored\. Install it: .*`sandbox: 'none'`.*`--sandbox none`.*`AGENT_EVALS_SANDBOX=none`/,
        ) as string,
      },
    })
  },
)

test.for([
  ['root', 'auto', { isRoot: true }],
  ['an editor', 'auto', { environment: { PATH: '/nowhere', VITEST_VSCODE: 'true' } }],
  ['a choice of bubblewrap', 'bubblewrap', {}],
] as const)('lets nothing run without a sandbox for %s', async ([, choice, change]) => {
  await using repository = await createFixture({ '.git/HEAD': '' })
  expect(await settleSandbox(choice, { ...place('/nowhere'), root: repository.path, ...change })).toMatchObject({
    code: 'sandbox-unavailable',
    ownRepository: null,
  })
})

test.for(['0', 'false', ''])('does not take CI=%j for a build machine', async (value) => {
  await expect(decideSandbox('auto', place('/nowhere', { CI: value }))).rejects.toThrow('not found')
})

test('errs for bubblewrap even in CI and in a container', async () => {
  await expect(decideSandbox('bubblewrap', place('/nowhere', { CI: 'true' }, true))).rejects.toThrow('not found')
})

test('ignores a bwrap that the project brings', async () => {
  await using files = await createFixture({ 'node_modules/.bin/bwrap': '#!/bin/sh\nexit 0\n' })
  await chmod(files.getPath('node_modules/.bin/bwrap'), 0o755)

  await expect(decideSandbox('auto', place(`${files.getPath('node_modules/.bin')}:.`))).rejects.toThrow('not found')
})

test.for(['sandbox-runtime', 'auto'] as const)(
  'errs for %s on macOS where sandbox-runtime is missing',
  async (choice) => {
    await using project = await createFixture({ 'package.json': '{}' })
    await expect(
      decideSandbox(choice, { ...place('/nowhere'), root: project.path, platform: 'darwin' }),
    ).rejects.toMatchObject({
      code: 'sandbox-unavailable',
      message: expect.stringMatching(
        /^The sandbox sandbox-runtime does not work here: sandbox-runtime not found\. Install it: `npm install --save-dev @anthropic-ai\/sandbox-runtime`\./,
      ) as string,
    })
  },
)

test.for([
  ['auto', { CI: 'true' }, false, 'none (CI)'],
  ['auto', {}, true, 'none (container)'],
  ['prefer', {}, false, 'none (sandbox-runtime not found)'],
] as const)(
  'falls back on macOS for %s with %j in a container %s: %s',
  async ([choice, environment, inside, enforced]) => {
    await using project = await createFixture({ 'package.json': '{}' })
    const here = { ...place('/nowhere', environment, inside), root: project.path, platform: 'darwin' as const }
    expect((await decideSandbox(choice, here)).enforced).toBe(enforced)
  },
)

test.runIf(process.getuid?.() === 0)('refuses sandbox-runtime to root, whom it does not hold', async () => {
  await using project = await createFixture({ 'node_modules/@anthropic-ai/sandbox-runtime/package.json': '{}' })
  await expect(
    decideSandbox('sandbox-runtime', { ...place(process.env['PATH'] ?? ''), root: project.path }),
  ).rejects.toMatchObject({
    code: 'sandbox-unavailable',
    message: expect.stringMatching(
      /^The sandbox sandbox-runtime does not work here: as root it leaves files below \/proc\/sys writable, by which a session could take over the machine\. Run as another user, or use `--sandbox bubblewrap`, which is safe for root\. To run without a sandbox, .*AGENT_EVALS_SANDBOX=none/,
    ) as string,
  })
})

test('probes once per process', async () => {
  await using files = await createFixture({ bwrap: '#!/bin/sh\necho x >> "${0%/*}/calls"\nexit 1\n' })
  await chmod(files.getPath('bwrap'), 0o755)
  const here = place(files.path)
  await Promise.all([decideSandbox('prefer', here), decideSandbox('prefer', here)])
  const calls = await files.readFile('calls', 'utf8')
  await decideSandbox('prefer', here)

  expect(await files.readFile('calls', 'utf8')).toBe(calls)
})

test('takes a lack of open files for no reason to run unconfined, and tries again later', async () => {
  await using files = await createFixture({ bwrap: '#!/bin/sh\necho "bwrap: Too many open files" >&2\nexit 1\n' })
  await chmod(files.getPath('bwrap'), 0o755)
  const ci = place(files.path, { CI: 'true' })
  await expect(decideSandbox('prefer', ci)).rejects.toMatchObject({
    code: 'sandbox-unavailable',
    message: expect.stringContaining('the machine is out of resources (bwrap: Too many open files).') as string,
  })
  await files.writeFile('bwrap', '#!/bin/sh\nexit 0\n')
  expect((await decideSandbox('prefer', ci)).backend).toBe('bubblewrap')
})
