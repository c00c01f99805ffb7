import { symlinkSync } from 'node:fs'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { resolveExecutable } from '../../../../src/engines/claude-code/engine.ts'

const NATIVE = Buffer.from('\u007fELF-program', 'latin1')
const PLATFORM = `node_modules/@anthropic-ai/claude-code-${process.platform}-${process.arch}`

test('follows the link of npm', async () => {
  await using fixture = await createFixture({
    'node_modules/@anthropic-ai/claude-code/bin/claude.exe': NATIVE,
    'node_modules/.bin': {},
  })
  symlinkSync('../@anthropic-ai/claude-code/bin/claude.exe', fixture.getPath('node_modules/.bin/claude'))
  expect(resolveExecutable(fixture.getPath('node_modules/.bin/claude'))).toBe(
    fixture.getPath('node_modules/@anthropic-ai/claude-code/bin/claude.exe'),
  )
})

test.for(['', '-musl'])('finds the platform’s package where no install script ran%s', async (libc) => {
  await using fixture = await createFixture({
    'node_modules/@anthropic-ai/claude-code/bin/claude.exe': 'echo not installed',
    [`${PLATFORM}${libc}/claude`]: NATIVE,
    'node_modules/.bin': {},
  })
  symlinkSync('../@anthropic-ai/claude-code/bin/claude.exe', fixture.getPath('node_modules/.bin/claude'))
  expect(resolveExecutable(fixture.getPath('node_modules/.bin/claude'))).toBe(
    fixture.getPath(`${PLATFORM}${libc}/claude`),
  )
})

const PNPM_TARGET = '../.pnpm/claude-code@2/node_modules/@anthropic-ai/claude-code'

test.for([
  ['of older versions', `exec "$basedir/${PNPM_TARGET}/bin/claude.exe" "$@"`],
  [
    'of version 12',
    `export NODE_PATH="$basedir_abs"/'${PNPM_TARGET}':"$basedir_abs"/'../.pnpm/node_modules'\nexec "$basedir_abs"/'${PNPM_TARGET}/bin/claude.exe'  "$@"`,
  ],
])('follows the script of pnpm %s to the program, and to the platform’s package behind it', async ([, line]) => {
  const store = 'node_modules/.pnpm/claude-code@2/node_modules/@anthropic-ai'
  const script = `#!/bin/sh\nbasedir=$(dirname "$0")\n${line}\n`
  await using whole = await createFixture({
    'node_modules/.bin/claude': script,
    [`${store}/claude-code/bin/claude.exe`]: NATIVE,
  })
  expect(resolveExecutable(whole.getPath('node_modules/.bin/claude'))).toBe(
    whole.getPath(`${store}/claude-code/bin/claude.exe`),
  )

  const behind = `${store}/claude-code-${process.platform}-${process.arch}/claude`
  await using stub = await createFixture({
    'node_modules/.bin/claude': script,
    [`${store}/claude-code/bin/claude.exe`]: 'stub',
    [behind]: NATIVE,
  })
  expect(resolveExecutable(stub.getPath('node_modules/.bin/claude'))).toBe(stub.getPath(behind))
})

test('follows a wrapper that names the program, or a file of its package, by an absolute path', async () => {
  await using fixture = await createFixture({
    'opt/claude': NATIVE,
    'wrapper/claude': ({ getPath }) => `#!/bin/sh\nexport A=/bin/sh\nexec "${getPath('opt/claude')}" "$@"\n`,
    'lib/node_modules/@anthropic-ai/claude-code/cli.js': '',
    [`lib/${PLATFORM}/claude`]: NATIVE,
    'script/claude': ({ getPath }) =>
      `#!/bin/sh\nexec node ${getPath('lib/node_modules/@anthropic-ai/claude-code/cli.js')} "$@"\n`,
  })
  expect(resolveExecutable(fixture.getPath('wrapper/claude'))).toBe(fixture.getPath('opt/claude'))
  expect(resolveExecutable(fixture.getPath('script/claude'))).toBe(fixture.getPath(`lib/${PLATFORM}/claude`))
})

test('leaves a script that leads to no program as it is', async () => {
  await using fixture = await createFixture({ claude: '#!/bin/sh\necho "$basedir/gone"\n', empty: '' })
  expect(resolveExecutable(fixture.getPath('claude'))).toBe(fixture.getPath('claude'))
  expect(resolveExecutable(fixture.getPath('empty'))).toBe(fixture.getPath('empty'))
})
