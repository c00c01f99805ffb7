import { join, relative, resolve } from 'node:path'
import { createFixture } from 'fs-fixture'
import { afterEach, expect, test, vi } from 'vitest'
import { lint } from '../../../../src/cli/commands/lint.ts'
import { list } from '../../../../src/cli/commands/list.ts'
import { findScenario } from '../../../../src/case/prepare/find-scenario.ts'
import { createSuiteCache, findSuites, loadSuite } from '../../../../src/formats/load-suite.ts'
import { CLERK, golden } from '../../../support/agent-fixture.ts'
import { printed } from '../../../support/printed.ts'

const CLERK_FILES = CLERK as Readonly<Record<string, string>>
const agent = (name: string, ...ids: readonly string[]): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(
    Object.entries(CLERK_FILES).map(([path, text]) => [
      path.replace('clerk/', `agents/${name}/`),
      text.replaceAll('clerk', name),
    ]),
  ),
  ...Object.fromEntries(
    ids.map((id) => [
      `agents/${name}/evals/golden/${id}.md`,
      golden(id.split('/')[1] ?? '', { category: id.split('/')[0] ?? '' }).replaceAll('agent: clerk', `agent: ${name}`),
    ]),
  ),
})
const plugin = (name: string, ...cases: readonly string[]): Readonly<Record<string, string>> => ({
  [`packages/${name}/.claude-plugin/plugin.json`]: `{ "name": "${name}", "version": "1.0.0" }`,
  ...Object.fromEntries(
    cases.flatMap((one) => [
      [`packages/${name}/evals/${one}/prompt.md`, '---\nruns: 1\n---\nGreet.\n'],
      [`packages/${name}/evals/${one}/graders/g.md`, '---\ntype: regex\n---\nHello\n'],
    ]),
  ),
})
const EVALS = JSON.stringify([{ id: 'greet', prompt: 'Greet.', expectations: ['Done'] }])

const FILES = {
  ...plugin('a', 'greet', 'group/greet', 'own'),
  ...plugin('b', 'greet', 'group/greet', 'other/own'),
  'packages/c/package.agent.json': '{ "name": "@t/c", "version": "1.0.0" }',
  'packages/c/skills/x/SKILL.md': '---\nname: x\ndescription: Use it.\n---\nDo it.\n',
  'packages/c/skills/x/evals/evals.json': EVALS,
  ...agent('clerk', 'happy/first', 'edge/first', 'edge/second'),
  ...agent('guard', 'edge/first', 'happy/second', 'happy/first'),
}

const TURNS = 'turns:\n  - text: Hello\n'
const A = 'packages/a/evals/greet/prompt.md'
const B = 'packages/b/evals/greet/prompt.md'
const C = 'packages/c/skills/x/evals/evals.json'
const shared = (scenario: string, own: string, other: string, place: string): string =>
  `answers/${scenario}.yaml is the scenario of cases in two suites: ${own} and ${other}. Move it to answers/${place}.yaml.`

afterEach(() => void vi.unstubAllEnvs())

test('plugin evals and golden tests of two packages never share a scenario, in a run, lint and list', async () => {
  const scenarios = ['greet', 'group/greet', 'own', 'golden/happy/first', 'golden/edge/second', 'golden/happy/second']
  await using fixture = await createFixture({
    ...FILES,
    ...Object.fromEntries(scenarios.map((name) => [`answers/${name}.yaml`, TURNS])),
  })
  const root = fixture.path.replace(/\/$/, '')
  const cache = createSuiteCache()
  const settings = { root, scenarios: join(root, 'answers') }
  const { placed, searched } = await findSuites({ root, agentsRoot: root, cache }, false)
  const played: Record<string, string | null> = {}
  for (const file of [...placed, ...searched].toSorted()) {
    const suite = await loadSuite(file, { root, cache })
    for (const evalCase of suite.cases) {
      const name = relative(root, file)
      try {
        const found = findScenario({ suite, evalCase, engineName: 'claude-code', settings })
        played[name] = found === null ? null : relative(root, found)
      } catch (error) {
        played[name] = (error as Error).message
      }
    }
  }
  const group = (name: string): string => `packages/${name}/evals/group/greet/prompt.md`
  const happy = (name: string): string => `agents/${name}/evals/golden/happy/first.md`
  const refused = {
    [A]: shared('greet', A, C, 'packages/a/greet'),
    [B]: shared('greet', B, C, 'packages/b/greet'),
    [C]: shared('greet', C, A, 'packages/c/skills/x/evals/evals/greet'),
    [group('a')]: shared('group/greet', group('a'), group('b'), 'packages/a/group/greet'),
    [group('b')]: shared('group/greet', group('b'), group('a'), 'packages/b/group/greet'),
    [happy('clerk')]: shared('golden/happy/first', happy('clerk'), happy('guard'), 'agents/clerk/golden/happy/first'),
    [happy('guard')]: shared('golden/happy/first', happy('guard'), happy('clerk'), 'agents/guard/golden/happy/first'),
  }
  expect(played).toEqual({
    ...refused,
    'packages/a/evals/own/prompt.md': 'answers/own.yaml',
    'packages/b/evals/other/own/prompt.md': null,
    'agents/clerk/evals/golden/edge/first.md': null,
    'agents/clerk/evals/golden/edge/second.md': 'answers/golden/edge/second.yaml',
    'agents/guard/evals/golden/edge/first.md': null,
    'agents/guard/evals/golden/happy/second.md': 'answers/golden/happy/second.yaml',
  })

  vi.stubEnv('AGENT_EVALS_SCENARIOS', settings.scenarios)
  const { issues } = JSON.parse(await printed(lint, '--json', root)) as {
    readonly issues: readonly { file: string; code: string; message: string }[]
  }
  const found = issues.filter(({ code }) => code === 'invalid-scenario')
  expect(Object.fromEntries(found.map(({ file, message }) => [relative(root, resolve(file)), message]))).toEqual(
    refused,
  )
  const { notes } = JSON.parse(await printed(list, '--json', '--root', root)) as {
    readonly notes: readonly { file: string; message: string }[]
  }
  const noted = notes.filter(({ message }) => message.includes('in two suites'))
  expect(Object.fromEntries(noted.map(({ file, message }) => [file, message]))).toEqual(refused)
})

test('in one package a scenario is that of one case, whatever its format, and a package inside has its own', async () => {
  const aam = `name: greet\ndescription: d\ninput:\n  prompt: Do it.\njudge:\n  criteria: Done\n`
  await using fixture = await createFixture({
    ...plugin('a', 'greet'),
    'packages/a/package.agent.json': '{ "name": "@t/a", "version": "1.0.0" }',
    'packages/a/evals/cases/greet.yaml': aam,
    'packages/a/skills/x/SKILL.md': '---\nname: x\ndescription: Use it.\n---\nDo it.\n',
    'packages/a/skills/x/evals/evals.json': EVALS,
    'packages/a/evals/scenarios/greet.yaml': TURNS,
    'package.agent.json': '{ "name": "@t/root", "version": "1.0.0" }',
    'evals/cases/greet.yaml': aam,
    'evals/scenarios/greet.yaml': TURNS,
  })
  const root = fixture.path.replace(/\/$/, '')
  const { issues } = JSON.parse(await printed(lint, '--json', root)) as {
    readonly issues: readonly { file: string; code: string; message: string }[]
  }
  const found = issues.filter(({ code }) => code === 'invalid-scenario')
  const start = 'evals/scenarios/greet.yaml is the scenario of cases in two suites:'
  expect(Object.fromEntries(found.map(({ file, message }) => [relative(root, resolve(file)), message]))).toEqual({
    'packages/a/evals/cases/greet.yaml': `${start} evals/cases/greet.yaml and evals/greet/prompt.md. Rename one of the cases.`,
    'packages/a/evals/greet/prompt.md': `${start} evals/greet/prompt.md and evals/cases/greet.yaml. Rename one of the cases.`,
    'packages/a/skills/x/evals/evals.json': `${start} skills/x/evals/evals.json and evals/cases/greet.yaml. Copy it to evals/scenarios/skills/x/evals/evals/greet.yaml.`,
  })
})
