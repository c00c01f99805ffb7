import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { findScenario } from '../../../src/case/prepare/find-scenario.ts'
import { loadSuite } from '../../../src/formats/load-suite.ts'
import type { Suite } from '../../../src/formats/suite.ts'

const skill = (name: string): string => `---\nname: ${name}\ndescription: d\n---\n`
const evals = (id: string): string => JSON.stringify([{ id, prompt: 'p', expectations: ['e'] }])
const SCENARIO = 'turns:\n  - text: Hello\n'

test('two suites with the same case ids share no scenario', async () => {
  await using fixture = await createFixture({
    'skills/a/SKILL.md': skill('a'),
    'skills/a/evals/evals.json': evals('one'),
    'skills/b/SKILL.md': skill('b'),
    'skills/b/evals/evals.json': evals('one'),
    'skills/c/SKILL.md': skill('c'),
    'skills/c/evals/evals.json': evals('two'),
    'skills/d/SKILL.md': skill('d'),
    'skills/d/evals/evals.json': evals('three'),
    'evals/cases/three.yaml': 'name: three\ninput:\n  prompt: p\njudge:\n  criteria: e\n',
    'evals/scenarios/one.yaml': SCENARIO,
    'evals/scenarios/two.yaml': SCENARIO,
    'evals/scenarios/three.yaml': SCENARIO,
    'evals/scenarios/skills/b/evals/evals/one.yaml': SCENARIO,
  })
  const root = fixture.path.replace(/\/$/, '')
  const load = (name: string): Promise<Suite> => loadSuite(`${root}/skills/${name}/evals/evals.json`, { root })
  const find = async (name: string): Promise<string | null> => {
    const suite = await load(name)
    const [evalCase] = suite.cases
    if (evalCase === undefined) throw new Error('no case')
    return findScenario({ suite, evalCase, engineName: 'claude-code', settings: { root, scenarios: null } })
  }
  await expect(find('a')).rejects.toThrow(
    'evals/scenarios/one.yaml is the scenario of cases in two suites: skills/a/evals/evals.json and skills/b/evals/evals.json. Move it to evals/scenarios/skills/a/evals/evals/one.yaml.',
  )
  await expect(find('d')).rejects.toThrow(
    'evals/scenarios/three.yaml is the scenario of cases in two suites: skills/d/evals/evals.json and evals/cases/three.yaml. Copy it to evals/scenarios/skills/d/evals/evals/three.yaml.',
  )
  expect(await find('b')).toBe(`${root}/evals/scenarios/skills/b/evals/evals/one.yaml`)
  expect(await find('c')).toBe(`${root}/evals/scenarios/two.yaml`)
  // A suite is packed into its test module, so it names no more of hundreds of others than it needs.
  expect((await load('a')).siblings).toEqual([`${root}/skills/b/evals/evals.json`])
  expect(await load('c')).not.toHaveProperty('siblings')
})
