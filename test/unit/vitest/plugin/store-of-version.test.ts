import { join } from 'node:path'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import type { BeforeVersion } from '../../../../src/formats/before.ts'
import { resolveOptions } from '../../../../src/options/resolve-options.ts'
import { storeOfVersion } from '../../../../src/vitest/plugin/suite-search.ts'

const SKILL = '---\nname: notes\ndescription: Writes notes.\n---\n'
const EVALS = JSON.stringify({ evals: [{ id: 'one', prompt: 'Write.', expectations: ['It is written.'] }] })

test('suites of a version are looked for where the options say, in its own files', async () => {
  await using files = await createFixture({
    'was/skills/notes/SKILL.md': SKILL,
    'was/skills/notes/evals/evals.json': EVALS,
    'now/skills/notes/SKILL.md': SKILL,
    'now/skills/notes/evals/evals.json': EVALS,
    'now/skills/notes/more/evals.json': EVALS,
  })
  const [root, now] = [files.getPath('was'), files.getPath('now')]
  const version: BeforeVersion = { ref: 'was', commit: null, root, now, skills: [], isOwn: true }
  const options = resolveOptions({ root: now }, {})
  const find = async (evals: string): Promise<readonly string[] | null> =>
    (await storeOfVersion(version, { ...options, evals })?.find()) ?? null

  const file = join(root, 'skills/notes/evals/evals.json')
  expect(await find('skills/notes/evals')).toEqual([file])
  expect(await find(join(now, 'skills/notes/evals'))).toEqual([file])
  expect(await find('skills/notes/more'), 'what the version does not have').toBe(null)
})
