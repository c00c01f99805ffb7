import { createFixture } from 'fs-fixture'
import { expect, test, vi } from 'vitest'
import { searchFolder } from '../../../src/cli/search.ts'

test('a vitest.config that cannot be loaded is one message, with what to do', async () => {
  await using fixture = await createFixture({
    'package.json': '{ "private": true, "type": "module" }\n',
    'vitest.config.ts': "throw new Error('No such preset: house.\\nat a\\nat b')\n",
    'evals/evals.json': '[{ "id": 1, "prompt": "p", "expectations": ["e"] }]',
  })
  const printed = vi.spyOn(console, 'error')
  const root = fixture.path.replace(/\/$/, '')
  await expect(searchFolder(root, {})).rejects.toMatchObject({
    code: 'invalid-options',
    message: `The Vitest configuration in ${root} cannot be loaded: No such preset: house. Fix it, or list another folder with --root.`,
  })
  expect(printed).not.toHaveBeenCalled()
})
