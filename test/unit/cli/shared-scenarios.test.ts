import { relative, resolve } from 'node:path'
import { createFixture, type FileTree } from 'fs-fixture'
import { afterEach, expect, test, vi } from 'vitest'
import { lint } from '../../../src/cli/commands/lint.ts'
import { CLERK, golden } from '../../support/agent-fixture.ts'
import { printed } from '../../support/printed.ts'

const skill = (name: string): string => `---\nname: ${name}\ndescription: Use it for ${name}.\n---\nDo it.\n`
const evals = (...ids: readonly string[]): string =>
  JSON.stringify(ids.map((id) => ({ id, prompt: `Do ${id}.`, expectations: ['Done'] })))
const SCENARIO = 'turns:\n  - text: Done\n'

afterEach(() => void vi.unstubAllEnvs())

async function sharedIn(files: FileTree, scenarios?: string): Promise<readonly string[]> {
  await using fixture = await createFixture(files)
  const root = fixture.path.replace(/\/$/, '')
  if (scenarios !== undefined) vi.stubEnv('AGENT_EVALS_SCENARIOS', `${root}/${scenarios}`)
  const { issues } = JSON.parse(await printed(lint, '--json', root)) as {
    readonly issues: readonly { file: string; severity: string; code: string; message: string }[]
  }
  return issues
    .filter(({ code }) => code === 'shared-scenario')
    .map(({ file, severity, message }) => `${severity} ${relative(root, resolve(file))}: ${message}`)
}

test('lint names a scenario that two suites with the same case ids would share', async () => {
  const files = {
    'skills/a/SKILL.md': skill('a'),
    'skills/a/evals/evals.json': evals('one', 'two', 'three'),
    'skills/b/SKILL.md': skill('b'),
    'skills/b/evals/evals.json': evals('one', 'three', 'four'),
    // Two suites have a case of this id.
    'evals/scenarios/one.yaml': SCENARIO,
    'evals/scenarios/one.codex.2.yaml': SCENARIO,
    // One suite has this id, and the other plays a file of its own.
    'evals/scenarios/two.yaml': SCENARIO,
    'evals/scenarios/three.yaml': SCENARIO,
    'evals/scenarios/skills/b/evals/evals/three.yaml': SCENARIO,
  }
  const shared = (name: string): string =>
    `error evals/scenarios/${name}.yaml: two cases play it: one of skills/a/evals/evals.json, and one of skills/b/evals/evals.json. ` +
    `Their own places are evals/scenarios/skills/a/evals/evals/${name}.yaml and evals/scenarios/skills/b/evals/evals/${name}.yaml.`
  expect(await sharedIn(files)).toEqual([shared('one.codex.2'), shared('one')])
})

test('lint names the scenario of a case in a file of its own that an eval of a skill would play too', async () => {
  const aam = (name: string): string =>
    `name: ${name}\ndescription: d\ninput:\n  prompt: Do ${name}.\njudge:\n  criteria: Done\n`
  const files = {
    'package.agent.json': '{ "name": "@t/p", "version": "1.0.0", "artifacts": { "skills": [{ "path": "skills/a" }] } }',
    'skills/a/SKILL.md': skill('a'),
    'skills/a/evals/evals.json': evals('one', 'two', 'three'),
    'evals/cases/one.yaml': aam('one'),
    'evals/cases/other.yaml': aam('two'),
    'evals/scenarios/one.yaml': SCENARIO,
    'evals/scenarios/two.yaml': SCENARIO,
    'evals/scenarios/three.yaml': SCENARIO,
    // The eval plays a file of its own.
    'evals/scenarios/skills/a/evals/evals/two.yaml': SCENARIO,
  }
  expect(await sharedIn(files)).toEqual([
    'error evals/scenarios/one.yaml: two cases play it: one of evals/cases/one.yaml, and one of skills/a/evals/evals.json. Their own places are evals/scenarios/one.yaml and evals/scenarios/skills/a/evals/evals/one.yaml.',
  ])
})

test('golden tests of one id in two categories share no scenario, and cases of two formats may', async () => {
  const plugin = (name: string): FileTree => ({
    '.claude-plugin/plugin.json': '{ "name": "a", "version": "1.0.0" }',
    [`evals/${name}/prompt.md`]: '---\nruns: 1\n---\nGreet.\n',
    [`evals/${name}/graders/g.md`]: '---\ntype: regex\n---\nHello\n',
  })
  const files = {
    ...CLERK,
    'clerk/evals/golden/happy/first.md': golden('first'),
    'clerk/evals/golden/edge/first.md': golden('first', { category: 'edge' }),
    'clerk/evals/scenarios/golden/happy/first.yaml': SCENARIO,
    'clerk/evals/scenarios/golden/edge/first.yaml': SCENARIO,
    ...plugin('greet'),
    'package.agent.json': '{ "name": "@t/p", "version": "1.0.0" }',
    'evals/cases/greet.yaml': 'name: greet\ninput:\n  prompt: Greet.\njudge:\n  criteria: Done\n',
    'evals/scenarios/greet.yaml': SCENARIO,
  }
  expect(await sharedIn(files)).toEqual([
    'error evals/scenarios/greet.yaml: two cases play it: greet of evals/cases/greet.yaml, and greet of evals/greet/prompt.md. Rename one of the cases.',
  ])
})

test('lint compares the cases of two packages in a folder of scenarios that is named', async () => {
  const files = {
    ...Object.fromEntries(
      ['a', 'b'].flatMap((name) => [
        [`packages/${name}/package.agent.json`, `{ "name": "@t/${name}", "version": "1.0.0" }`],
        [`packages/${name}/skills/x/SKILL.md`, skill('x')],
        [`packages/${name}/skills/x/evals/evals.json`, evals('one')],
      ]),
    ),
    'answers/one.yaml': SCENARIO,
  }
  expect(await sharedIn(files, 'answers')).toEqual([
    'error answers/one.yaml: two cases play it: one of packages/a/skills/x/evals/evals.json, and one of packages/b/skills/x/evals/evals.json. Their own places are answers/packages/a/skills/x/evals/evals/one.yaml and answers/packages/b/skills/x/evals/evals/one.yaml.',
  ])
})
