import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { describeInnerRoot } from '../../../../src/vitest/plugin/open-run.ts'

test('a start in a subfolder of the configuration is named, unless the root was chosen or is a project', async () => {
  await using fixture = await createFixture({
    'vitest.config.ts': '',
    'skills/a/SKILL.md': '',
    'web/package.json': '{}',
    'plugin/.claude-plugin/plugin.json': '{ "name": "p" }',
  })
  const root = fixture.path.replace(/\/$/, '')
  const config = `${root}/vitest.config.ts`
  const inFolder = (folder: string): string | null => describeInnerRoot(`${root}${folder}`, config, `${root}${folder}`)
  expect(inFolder('/skills/a')).toBe(
    'Vitest takes skills/a as its root. It does not use recordings and scenarios of ../.., and writes the report here. Start it in ../.., or run npx vitest-agent-evals run here.',
  )
  expect(inFolder('')).toBeNull()
  expect(inFolder('/web')).toBeNull()
  expect(inFolder('/plugin')).toBeNull()
  expect(describeInnerRoot(`${root}/skills/a`, config, root)).toBeNull()
  expect(describeInnerRoot(`${root}/skills/a`, undefined, `${root}/skills/a`)).toBeNull()
})
