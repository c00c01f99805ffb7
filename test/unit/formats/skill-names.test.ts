import { relative } from 'node:path'
import { createFixture } from 'fs-fixture'
import { glob } from 'tinyglobby'
import { expect, test } from 'vitest'
import { copySkills } from '../../../src/engines/install.ts'
import type { InstallRequest } from '../../../src/engines/engine.ts'
import { recordingFile } from '../../../src/recordings/store.ts'
import { discoverTests, neverSuiteGlobs } from '../../../src/formats/discover.ts'
import { createSuiteCache, loadSuite } from '../../../src/formats/load-suite.ts'
import { discoverSkillSuites } from '../../../src/formats/skill-evals/find-suites.ts'
import { findSkill } from '../../../src/formats/skill-evals/skill-index.ts'
import { planCases } from '../../../src/case/plan/plan.ts'

const skill = (name: string): string => `---\nname: ${name}\ndescription: Does ${name}.\n---\nDo it.\n`
const EVALS = '{ "evals": [{ "id": "one", "prompt": "p", "expectations": ["It ends."] }] }'
const NONE = { environment: null, option: null }
const QUERIES = '[{ "query": "q", "should_trigger": true }]'

test.each(['reports', 'runs', 'results', 'recordings', 'scenarios', 'baselines'])(
  'a skill called %s has evals and free tests like any other',
  async (name) => {
    await using fixture = await createFixture({
      [`skills/${name}/SKILL.md`]: skill(name),
      [`skills/${name}/evals/evals.json`]: EVALS,
      [`skills/${name}/tests/cases/a.yaml`]: 'name: a\nscript: x.sh\n',
      [`skills/other/SKILL.md`]: skill('other'),
      [`skills/other/evals/${name}/evals.json`]: EVALS,
    })
    const root = fixture.path.replace(/\/$/, '')
    const below = (file: string): string => relative(root, file)
    const found = [...(await discoverSkillSuites(root)).suites.keys()].map(below)
    expect(found).toContain(`skills/${name}/evals/evals.json`)
    // As the project `evals` includes and excludes them.
    const included = await glob(['**/evals.json'], { cwd: root, ignore: [...neverSuiteGlobs(found)] })
    expect(included).toEqual([`skills/${name}/evals/evals.json`])
    expect((await discoverTests(root)).ours.map(below)).toEqual([`skills/${name}/tests/cases/a.yaml`])
  },
)

test('of several skills with one name, the plugin that is written before it says which', async () => {
  const suite = (name: string): string => `{ "skill_name": "${name}", "evals": ${QUERIES} }`
  await using fixture = await createFixture({
    'a/skills/check/SKILL.md': skill('check'),
    'b/skills/check/SKILL.md': skill('check'),
    'b/skills/only/SKILL.md': skill('only'),
    'evals/one.json': suite('b:check'),
    'evals/two.json': suite('elsewhere:only'),
  })
  const root = fixture.path.replace(/\/$/, '')
  const { suites } = await discoverSkillSuites(root)
  expect(
    [...suites].map(
      ([
        file,
        {
          skill: { dir },
        },
      ]) => [file, dir].map((path) => relative(root, path)),
    ),
  ).toEqual([
    ['evals/one.json', 'b/skills/check'],
    ['evals/two.json', 'b/skills/only'],
  ])
  const skills = [...suites.values()][0]?.skills ?? []
  const found = ['a:check', 'b:check', '/b:check', 'check', 'b:only'].map(
    (name) => findSkill(name, skills)?.dir ?? root,
  )
  expect(found.map((dir) => relative(root, dir))).toEqual(
    ['a', 'b', 'b', 'a'].map((plugin) => `${plugin}/skills/check`).concat('b/skills/only'),
  )
})

test('a target has a skill by the name of its folder and by that of its front matter', async () => {
  await using fixture = await createFixture({
    'package.agent.json': '{ "name": "p", "version": "1.0.0" }',
    'skills/pdf-tools/SKILL.md': skill('pdf'),
    'skills/pdf-tools/evals/evals.json': EVALS,
    'skills/pdf-tools/evals/triggers.json': QUERIES,
    'evals/eval-config.json': '{ "version": 1, "engine": "claude-code" }',
    'evals/cases/a.yaml': 'name: a\ntarget: skill:pdf\ninput:\n  prompt: p\njudge:\n  criteria: It ends.\n',
    'evals/cases/b.yaml': 'name: b\ntarget: skill:pdf-tools\ninput:\n  prompt: p\njudge:\n  criteria: It ends.\n',
  })
  const root = fixture.path.replace(/\/$/, '')
  const cache = createSuiteCache()
  const files = [
    'evals/cases/a.yaml',
    'evals/cases/b.yaml',
    'skills/pdf-tools/evals/evals.json',
    'skills/pdf-tools/evals/triggers.json',
  ]
  const suites = await Promise.all(files.map((file) => loadSuite(`${root}/${file}`, { root, cache })))
  expect(suites.flatMap(({ issues }) => issues.filter(({ severity }) => severity === 'error'))).toEqual([])
  for (const target of ['skill:pdf', 'skill:pdf-tools'])
    expect(planCases(suites, { target }, { root, engine: NONE, runs: NONE }).whole).toBe(4)
  const others = planCases(suites, { target: 'skill:other' }, { root, engine: NONE, runs: NONE })
  expect(others.cases).toEqual([])
  expect(suites.flatMap(({ cases }) => cases.map(({ target }) => target?.name))).toEqual([
    'pdf-tools',
    'pdf-tools',
    'pdf-tools',
    'pdf-tools',
  ])
})

test('a skill at the root of a checkout has one name whatever the checkout is called', async () => {
  const names: unknown[] = []
  for (const checkout of ['xcode-cleanup', 'my-fork']) {
    await using fixture = await createFixture({
      [`${checkout}/.git/HEAD`]: 'ref: refs/heads/main\n',
      [`${checkout}/SKILL.md`]: skill('xcode-cleanup'),
      [`${checkout}/evals/evals.json`]: EVALS.replace('{', '{ "skill_name": "xcode-cleanup", '),
    })
    const root = fixture.getPath(checkout)
    const cache = createSuiteCache()
    const suite = await loadSuite(`${root}/evals/evals.json`, { root, cache })
    const [evalCase] = suite.cases
    if (evalCase === undefined) throw new Error('no case')
    const pkg = await cache.packageFor(suite, evalCase)
    const { copies } = copySkills(
      { package: pkg, skills: pkg.skills.map(({ name }) => name) } as unknown as InstallRequest,
      'skills',
    )
    const { packageRoot, format, file } = suite
    const place = {
      packageRoot,
      format,
      suite: relative(packageRoot, file),
      caseId: evalCase.id,
      arm: 'with_skill',
    } as const
    names.push({
      skill: suite.skill?.name,
      target: evalCase.target?.name,
      installed: copies.map(({ to }) => to),
      // What was recorded in one checkout is found in the other.
      recording: relative(root, recordingFile({ ...place, engine: 'claude-code', run: 1 })),
    })
  }
  const expected = {
    skill: 'xcode-cleanup',
    target: 'xcode-cleanup',
    installed: ['skills/xcode-cleanup'],
    recording: 'evals/recordings/evals/one/claude-code.1.json',
  }
  expect(names).toEqual([expected, expected])
})
