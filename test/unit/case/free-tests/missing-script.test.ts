import { chmodSync } from 'node:fs'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { missingScript, unexecutableScript } from '../../../../src/case/free-tests/missing-script.ts'

test.for([
  ['python scripts/there.py', null],
  ['python scripts/nope.py x', 'scripts/nope.py'],
  ['python3 -u scripts/nope.py', 'scripts/nope.py'],
  ['bash "${PACKAGE_ROOT}/scripts/nope.sh"', 'scripts/nope.sh'],
  ['cd scripts; ./nope.sh', './nope.sh'],
  ['A=1 ./nope.sh', './nope.sh'],
  ['cat nope.py', null],
  ['node -e "process.exit(1)"', null],
  ['python -m pytest', null],
  ['grep x scripts/nope.py', null],
  ['', null],
] as const)('%s', async ([command, expected]) => {
  await using fixture = await createFixture({ 'a package/scripts/there.py': '' })
  const root = fixture.getPath('a package')
  const found = missingScript(command, root, { PACKAGE_ROOT: root })
  expect(found?.replace(`${root}/`, '') ?? null).toBe(expected)
})

test.for([
  ['./guard', './guard'],
  ['"${PACKAGE_ROOT}/guard"', 'guard'],
  ['cd . && A=1 ./guard --strict', './guard'],
  ['sh ./guard', null],
  ['./ready', null],
  ['./nope', null],
  ['guard', null],
  ['cat ./guard', null],
] as const)('%s is started without the permission: %s', async ([command, expected]) => {
  await using fixture = await createFixture({ guard: '#!/bin/sh\n', ready: '#!/bin/sh\n' })
  chmodSync(fixture.getPath('ready'), 0o755)
  const root = fixture.path.replace(/\/$/, '')
  const found = unexecutableScript(command, root, { PACKAGE_ROOT: root })
  expect(found?.replace(`${root}/`, '') ?? null).toBe(expected)
})
