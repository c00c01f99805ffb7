import { relative } from 'node:path'
import { createFixture } from 'fs-fixture'
import { expect, test, vi } from 'vitest'
import { searchFolder } from '../../../src/cli/find/search.ts'

const ADVICE = ', or run lint --no-config, which does not load it.'

test.for<readonly [string, string, string]>([
  [
    'an error with a stack',
    "throw new Error('No such preset: house.\\nat a\\nat b')\n",
    `No such preset: house. Fix it${ADVICE}`,
  ],
  [
    'a factory that fails',
    "export default () => { throw new Error('MY_KEY is not set') }",
    `MY_KEY is not set. Fix it${ADVICE}`,
  ],
  [
    'a package that is not installed',
    "import preset from 'not-installed'\nexport default preset\n",
    `Cannot find package 'not-installed'. Install the packages of this repository, or fix the import${ADVICE}`,
  ],
  ['a slip', 'export default {\n  plugins: [\n}\n', `Unexpected token in line 3. Fix it${ADVICE}`],
])('a vitest.config that cannot be loaded is one message, with what to do: %s', async ([, text, message]) => {
  await using fixture = await createFixture({
    'package.json': '{ "private": true, "type": "module" }\n',
    'vitest.config.ts': text,
    'evals/evals.json': '[{ "id": 1, "prompt": "p", "expectations": ["e"] }]',
  })
  // The console of a test does not write to the streams that the command keeps.
  vi.spyOn(console, 'warn').mockReturnValue()
  const root = fixture.path.replace(/\/$/, '')
  const file = relative(process.cwd(), `${root}/vitest.config.ts`)
  const search = searchFolder(root, {})
  await expect(search).rejects.toMatchObject({ code: 'invalid-options', message: `Cannot load ${file}: ${message}` })
})
