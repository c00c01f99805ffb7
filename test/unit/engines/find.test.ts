import { join } from 'node:path'
import { createFixture, type FileTree, type FsFixture } from 'fs-fixture'
import { appendFileSync, chmodSync, readFileSync, realpathSync, symlinkSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { findEngine, type FoundEngine } from '../../../src/engines/find.ts'

function program(version: string): string {
  return `#!/bin/sh\necho "${version} (Claude Code)"\n`
}

async function makePrograms(tree: FileTree & Readonly<Record<string, string>>): Promise<FsFixture> {
  const fixture = await createFixture(tree)
  for (const path of Object.keys(tree)) chmodSync(fixture.getPath(path), 0o755)
  return fixture
}

function find(
  fixture: FsFixture,
  places: { option?: string; engines?: string; path?: string; root?: string },
): Promise<FoundEngine> {
  const { option, engines, path, root = 'project/packages/a' } = places
  const environment = {
    ...(engines === undefined ? {} : { AGENT_EVALS_ENGINES: fixture.getPath(engines) }),
    PATH: path === undefined ? '/nowhere' : `:${fixture.getPath(path)}:/bin:/usr/bin`,
  }
  return findEngine('claude-code', { option, environment, root: fixture.getPath(root) })
}

test('looks in order: option, folder of engines, node_modules upwards, PATH', async () => {
  await using fixture = await makePrograms({
    'project/packages/a/claude': program('2.1.301'),
    'engines/node_modules/.bin/claude': program('2.1.302'),
    'project/node_modules/.bin/claude': program('2.1.303'),
    'bin/claude': program('2.1.304'),
    'elsewhere/x': '',
  })
  const all = { engines: 'engines', path: 'bin' }
  const versions = await Promise.all([
    find(fixture, { ...all, option: './claude' }),
    find(fixture, all),
    find(fixture, { path: 'bin' }),
    find(fixture, { path: 'bin', root: 'elsewhere' }),
    find(fixture, { engines: 'elsewhere', path: 'bin', root: 'elsewhere' }),
  ])
  expect(versions.map(({ version }) => version)).toEqual(['2.1.301', '2.1.302', '2.1.303', '2.1.304', '2.1.304'])
  expect(versions[2]).toMatchObject({
    engine: { name: 'claude-code' },
    executable: fixture.getPath('project/node_modules/.bin/claude'),
  })
})

test('A1: says where it looked and what to install', async () => {
  await using fixture = await createFixture({ 'project/x': '' })
  const root = fixture.getPath('project')
  await expect(find(fixture, { root: 'project' })).rejects.toThrow(
    expect.objectContaining({
      code: 'engine-not-found',
      message: `The engine "claude-code" needs \`claude\`, which is not in AGENT_EVALS_ENGINES (not set), not in node_modules of ${root} or above, and not on PATH. Install it with \`npm i -D @anthropic-ai/claude-code@latest\` (with its optional and install scripts on).`,
    }) as Error,
  )
})

test('A1: names the folder of AGENT_EVALS_ENGINES', async () => {
  await using fixture = await createFixture({ 'project/x': '' })
  const folder = fixture.getPath('engines/node_modules/.bin')
  await expect(find(fixture, { root: 'project', engines: 'engines' })).rejects.toThrow(
    `which is not in ${folder} (AGENT_EVALS_ENGINES), not in`,
  )
})

test('A1: an option that leads nowhere is not replaced by something else', async () => {
  await using fixture = await makePrograms({ 'bin/claude': program('2.1.304'), 'project/x': '' })
  await expect(find(fixture, { option: 'no/claude', path: 'bin', root: 'project' })).rejects.toThrow(
    expect.objectContaining({
      code: 'engine-not-found',
      message: expect.stringContaining(
        `There is no claude at ${join(fixture.getPath('project'), 'no/claude')}`,
      ) as string,
    }) as Error,
  )
})

test('a version older than the oldest supported one is an error with the command that fixes it', async () => {
  await using fixture = await makePrograms({ 'bin/claude': program('2.1.149'), 'project/x': '' })
  await expect(find(fixture, { path: 'bin', root: 'project' })).rejects.toThrow(
    expect.objectContaining({
      code: 'engine-too-old',
      message: `claude-code 2.1.149 is too old: 2.1.150 is the oldest supported version. Update ${fixture.getPath('bin/claude')}: \`npm i -D @anthropic-ai/claude-code@latest\`.`,
    }) as Error,
  )
})

test.for([
  ['asdf', '#!/usr/bin/env bash\n# asdf-plugin: nodejs 24\nexec asdf exec "claude" "$@"\n'],
  ['nodenv', '#!/usr/bin/env bash\nprogram="${0##*/}"\nexec "/opt/nodenv/bin/nodenv" exec "$program" "$@"\n'],
  ['mise', '#!/bin/sh\nexec mise x -- claude "$@"\n'],
] as const)('the shim of %s is resolved by asking it', async ([manager, shim]) => {
  await using fixture = await makePrograms({
    'bin/claude': shim,
    [`bin/${manager}`]: '#!/bin/sh\n[ "$1 $2" = "which claude" ] && echo "$(dirname "$0")/../installed/claude"\n',
    'installed/claude': program('2.1.305'),
    'project/x': '',
  })
  const { executable, version } = await find(fixture, { path: 'bin', root: 'project' })
  expect([realpathSync(executable), version]).toEqual([realpathSync(fixture.getPath('installed/claude')), '2.1.305'])
})

test('a link to mise is resolved by asking it', async () => {
  await using fixture = await makePrograms({
    'manager/mise': '#!/bin/sh\n[ "$1 $2" = "which claude" ] && echo "$(dirname "$0")/../installed/claude"\n',
    'installed/claude': program('2.1.305'),
    'project/x': '',
    'bin/x': '',
  })
  symlinkSync('../manager/mise', fixture.getPath('bin/claude'))
  expect((await find(fixture, { path: 'bin', root: 'project' })).version).toBe('2.1.305')
})

test('a program that does not start is an error with its own words', async () => {
  await using fixture = await makePrograms({
    'bin/claude': '#!/bin/sh\necho "native binary not installed" >&2\nexit 1\n',
    'project/x': '',
  })
  await expect(find(fixture, { path: 'bin', root: 'project' })).rejects.toThrow(
    expect.objectContaining({
      code: 'engine-failed',
      message: expect.stringContaining('--version` does not start: native binary not installed.') as string,
    }) as Error,
  )
})

test('a version that is not understood is unknown, and each program is asked once', async () => {
  await using fixture = await makePrograms({
    'bin/claude': '#!/bin/sh\necho asked >> "$(dirname "$0")/log"\necho hello\n',
    'project/x': '',
  })
  const [one, two] = await Promise.all([
    find(fixture, { path: 'bin', root: 'project' }),
    find(fixture, { path: 'bin', root: 'project' }),
  ])
  expect([one.version, two.version, await fixture.readFile('bin/log', 'utf8')]).toEqual([null, null, 'asked\n'])
})

test('a worker does not start a program that the main process has asked, unless it was replaced', async () => {
  await using fixture = await makePrograms({ 'bin/claude': '', 'project/x': '' })
  const file = fixture.getPath('bin/claude')
  appendFileSync(file, `#!/bin/sh\necho asked >> "${fixture.getPath('asked')}"\necho "2.1.306 (Claude Code)"\n`)
  const options = { environment: { PATH: `:${fixture.getPath('bin')}:/bin` }, root: fixture.getPath('project') }
  const main = await import('../../../src/engines/find.ts')
  expect((await main.findEngine('claude-code', options)).version).toBe('2.1.306')
  const known = await main.knownVersions()

  // As another process has it.
  vi.resetModules()
  const worker = await import('../../../src/engines/find.ts')
  worker.learnVersions(known)
  expect((await worker.findEngine('claude-code', options)).version).toBe('2.1.306')
  const asked = (): number => readFileSync(fixture.getPath('asked'), 'utf8').split('\n').length - 1
  expect(asked()).toBe(1)
  appendFileSync(file, '# another one\n')
  await worker.findEngine('claude-code', options)
  expect(asked()).toBe(2)
})
