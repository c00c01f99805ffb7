import { join } from 'node:path'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { findScenario } from '../../../../src/case/prepare/find-scenario.ts'
import { createSuiteCache, loadSuite } from '../../../../src/formats/load-suite.ts'

const SKILL = '---\nname: x\ndescription: Use it.\n---\nDo it.\n'
const TURNS = 'turns:\n  - text: Done\n'
const entry = (id: string): object => ({ id, prompt: `Do ${id}.`, expectations: ['Done'] })
const aam = (name: string): string =>
  `name: ${name}\ndescription: d\ninput:\n  prompt: Do ${name}.\njudge:\n  criteria: Done\n`
const manifest = (name: string): string => JSON.stringify({ name: `@t/${name}`, version: '1.0.0' })

const PACKAGES = {
  'packages/a/package.agent.json': manifest('a'),
  'packages/a/skills/x/SKILL.md': SKILL,
  'packages/a/skills/x/evals/evals.json': JSON.stringify([entry('same'), entry('own')]),
  'packages/a/evals/cases/first.yaml': aam('first'),
  'packages/b/package.agent.json': manifest('b'),
  'packages/b/skills/x/SKILL.md': SKILL,
  'packages/b/skills/x/evals/evals.json': JSON.stringify([entry('same')]),
  'packages/b/evals/cases/first.yaml': aam('first'),
}
const EVALS = 'skills/x/evals/evals.json'

// What each case of both packages plays.
async function playedBy(scenarios: readonly string[], isNamed = true): Promise<Record<string, string | null>> {
  await using fixture = await createFixture({
    ...PACKAGES,
    ...Object.fromEntries(scenarios.map((file) => [file, TURNS])),
  })
  const root = fixture.path.replace(/\/$/, '')
  const cache = createSuiteCache()
  const played: Record<string, string | null> = {}
  for (const file of [EVALS, 'evals/cases/first.yaml'].flatMap((one) => [`packages/a/${one}`, `packages/b/${one}`])) {
    const suite = await loadSuite(join(root, file), { root, cache })
    for (const evalCase of suite.cases) {
      const settings = { root, scenarios: isNamed ? join(root, 'answers') : null }
      const name = `${file.slice(9, 10)} ${evalCase.id}`
      const found = findScenario({ suite, evalCase, engineName: 'claude-code', settings })
      played[name] = found?.slice(root.length + 1) ?? null
    }
  }
  return played
}

test('the path of a suite below its package is that of another package too; with the package it is its own', async () => {
  const below = 'skills/x/evals/evals'
  const played = await playedBy([
    `answers/${below}/same.yaml`,
    `answers/${below}/own.yaml`,
    `answers/packages/b/${below}/same.yaml`,
    'answers/packages/b/first.yaml',
  ])
  expect(played).toEqual({
    'a same': `answers/${below}/same.yaml`,
    'a own': `answers/${below}/own.yaml`,
    'b same': `answers/packages/b/${below}/same.yaml`,
    'a first': null,
    'b first': 'answers/packages/b/first.yaml',
  })
})

test('each package has its own folder where none is named', async () => {
  const played = await playedBy(['packages/a/evals/scenarios/same.yaml', 'packages/b/evals/scenarios/same.yaml'], false)
  expect(played).toMatchObject({
    'a same': 'packages/a/evals/scenarios/same.yaml',
    'b same': 'packages/b/evals/scenarios/same.yaml',
  })
})
