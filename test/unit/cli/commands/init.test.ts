import { readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { createFixture, type FileTree, type FsFixture } from 'fs-fixture'
import { describe, expect, test } from 'vitest'
import { findIssues } from '../../../../src/cli/lint/find-issues.ts'
import { addIgnored, findConfig, linesToIgnore, newConfig } from '../../../../src/cli/init/project-files.ts'
import { firstRequest } from '../../../../src/cli/init/first-request.ts'
import { surveyRepository } from '../../../../src/cli/init/survey.ts'
import { planEvals, writeEvals } from '../../../../src/cli/init/write-evals.ts'
import { loadSuites } from '../../../../src/cli/find/search.ts'
import type { Layered } from '../../../../src/options/option.ts'
import { createRunFolder } from '../../../../src/report/results/start-run.ts'
import { loadScenario } from '../../../../src/gateway/sources/load-scenario.ts'
import { outputOf } from '../../../support/command.ts'
import { runPlan } from '../../../support/case-result.ts'

const HOOKS = { hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'true' }] }] } }

const UNNAMED: Layered<string> = { environment: null, option: null }

const SKILLS = Object.fromEntries(
  Array.from({ length: 7 }, (_, index) => [`skills/skill-${index}/SKILL.md`, skill(`skill-${index}`)]),
)

describe('what is written fits what is there, and is sound', () => {
  test.for<readonly [name: string, files: FileTree, cases: readonly string[]]>([
    ['an empty folder', {}, ['first-case']],
    [
      'a plugin',
      {
        '.claude-plugin/plugin.json': '{ "name": "p" }',
        'hooks/hooks.json': JSON.stringify(HOOKS),
        'agents/helper.md': '---\nname: helper\ndescription: Helps\n---\nHelp.',
        'commands/go.md': 'Go: $ARGUMENTS',
        'commands/status.md': 'Look at !`git status`',
      },
      ['agent-helper', 'command-p-go', 'hook-pre-tool-use'],
    ],
    [
      "a project's own .claude",
      { '.claude/skills/one/SKILL.md': skill('one'), '.claude/settings.json': JSON.stringify(HOOKS) },
      ['hook-pre-tool-use', 'skill-one', ...queriesOf('one')],
    ],
    [
      'a skill that only a person may choose, and hooks that no session without a person runs',
      {
        'skills/one/SKILL.md': '---\nname: one\ndescription: d\ndisable-model-invocation: true\n---\nGo.',
        'hooks/hooks.json': JSON.stringify({ hooks: { Notification: HOOKS.hooks.PreToolUse } }),
      },
      ['command-one'],
    ],
    ['a repository that is one skill', { 'SKILL.md': skill('one'), 'docs/a.md': '' }, queriesOf('one')],
    [
      'a plugin that is one skill and holds another',
      { '.claude-plugin/plugin.json': '{ "name": "p" }', 'SKILL.md': skill('one'), 'two/SKILL.md': skill('two') },
      ['skill-one', ...queriesOf('one'), ...queriesOf('two')],
    ],
    [
      'mirrors of one set of skills',
      { '.agents/skills/one/SKILL.md': skill('one'), '.codex/skills/one/SKILL.md': skill('one') },
      ['skill-one', ...queriesOf('one')],
    ],
    [
      'several packages, of which the first gets cases',
      { 'a/skills/one/SKILL.md': skill('one'), 'b/skills/two/SKILL.md': skill('two') },
      ['skill-one', ...queriesOf('one')],
    ],
    ['a monorepo', { 'packages/a/skills/one/SKILL.md': skill('one') }, ['skill-one', ...queriesOf('one')]],
  ])('%s', async ([, files, cases]) => {
    await using fixture = await createFixture({ '.git/HEAD': '', ...files })
    const root = rootOf(fixture)
    const written = await init(root)
    const loaded = await loadSuites(root)
    const { issues } = await findIssues(loaded)
    expect(issues).toEqual([])
    expect(loaded.suites.flatMap((suite) => suite.cases.map(({ name }) => name)).toSorted()).toEqual(cases.toSorted())
    const scenarios = written.filter((path) => path.includes('/scenarios/'))
    expect(scenarios).toHaveLength(cases.length)
    for (const path of scenarios) expect((await loadScenario(join(root, path))).issues).toEqual([])
  })
})

test('five skills get queries, the others by --all', async () => {
  await using fixture = await createFixture({ '.git/HEAD': '', ...SKILLS })
  const root = rootOf(fixture)
  expect((await init(root)).filter((path) => path.endsWith('triggers.json'))).toHaveLength(5)
  const survey = await surveyRepository({ root, named: null, all: false })
  const { leftOut } = await planEvals(root, survey, { all: false, engine: UNNAMED })
  expect(leftOut).toBe(2)
  expect((await init(root, true)).filter((path) => path.endsWith('triggers.json'))).toHaveLength(2)
})

test('a file that is there is left as it is, and queries of the author are not answered', async () => {
  const own = '[{ "query": "Mine", "should_trigger": true }]'
  await using fixture = await createFixture({
    '.git/HEAD': '',
    'skills/one/SKILL.md': skill('one'),
    'skills/one/evals/triggers.json': own,
    'evals/cases/skill-one.yaml': 'mine',
  })
  const root = rootOf(fixture)
  expect(await init(root)).toEqual(['evals/eval-config.json', 'evals/scenarios/skill-one.yaml'])
  expect(await readFile(join(root, 'skills/one/evals/triggers.json'), 'utf8')).toBe(own)
  expect(await readFile(join(root, 'evals/cases/skill-one.yaml'), 'utf8')).toBe('mine')
})

test.for([
  ['tests/evals.json', 'SKILL.md', 'tests/triggers.json'],
  ['evals.json', 'SKILL.md', 'triggers.json'],
  ['evals/one/evals.json', 'skills/one/SKILL.md', 'evals/one/triggers.json'],
] as const)('beside %s of %s, queries are in %s: elsewhere they would hide it', async ([evals, file, expected]) => {
  await using fixture = await createFixture({
    '.git/HEAD': '',
    [file]: skill('one'),
    [evals]: JSON.stringify([{ id: 'mine', prompt: 'Do it', expectations: ['Done'] }]),
  })
  const root = rootOf(fixture)
  expect((await init(root)).filter((path) => path.endsWith('triggers.json'))).toEqual([expected])
  const loaded = await loadSuites(root)
  const names = loaded.suites.flatMap((suite) => suite.cases.map(({ name }) => name))
  expect(names).toEqual(expect.arrayContaining(['mine', ...queriesOf('one')]))
  expect((await findIssues(loaded)).issues).toEqual([])
})

test.for([
  ['codex', 'exec_command', 'exec_command'],
  ['copilot', 'skill', 'bash'],
  ['mine', 'Skill', 'Bash'],
] as const)('scenarios call the tools of the engine that runs them: %s', async ([engine, skillTool, shell]) => {
  await using fixture = await createFixture({
    '.git/HEAD': '',
    'a/.claude-plugin/plugin.json': '{ "name": "a" }',
    'a/skills/one/SKILL.md': skill('one'),
    'b/evals/eval-config.json': JSON.stringify({ version: 1, engine }),
    'b/hooks/hooks.json': JSON.stringify(HOOKS),
    'b/.claude-plugin/plugin.json': '{ "name": "b" }',
  })
  const root = rootOf(fixture)
  const paths = await init(root, true, { environment: null, option: engine })
  expect(JSON.parse(await readFile(join(root, 'a/evals/eval-config.json'), 'utf8'))).toMatchObject({ engine })
  const scenarios = await Promise.all(
    paths
      .filter((path) => path.includes('/scenarios/'))
      .map(async (path) => [path, (await loadScenario(join(root, path))).scenario] as const),
  )
  const tools = scenarios.flatMap(([path, scenario]) =>
    (scenario?.turns ?? []).flatMap((turn) => turn.tools.map(({ name }) => `${path.slice(0, 2)}${name}`)),
  )
  expect(new Set(tools)).toEqual(new Set([`a/${skillTool}`, `b/${shell}`]))
})

test('schemas are named where they are', async () => {
  await using fixture = await createFixture({
    'node_modules/vitest-agent-evals/schemas/x.json': '{}',
    'pkg/package.json': '{}',
  })
  const root = fixture.getPath('pkg')
  await init(root)
  const schemaOf = async (path: string): Promise<string | undefined> =>
    /\$schema"?[=:] ?"?([^"\n]+)/.exec(await readFile(join(root, path), 'utf8'))?.[1]
  expect(await schemaOf('evals/eval-config.json')).toBe(
    '../../node_modules/vitest-agent-evals/schemas/eval-config.schema.json',
  )
  expect(await schemaOf('evals/cases/first-case.yaml')).toBe(
    '../../../node_modules/vitest-agent-evals/schemas/eval-case.schema.json',
  )
})

test('the configuration is a module where packages are CommonJS', async () => {
  await using fixture = await createFixture({
    'package.json': '{}',
    'esm/package.json': '{ "type": "module" }',
  })
  expect(newConfig(fixture.getPath('esm')).file).toBe(fixture.getPath('esm/vitest.config.ts'))
  expect(newConfig(rootOf(fixture)).file).toBe(fixture.getPath('vitest.config.mts'))
})

test('.gitignore gets the lines that it lacks', async () => {
  await using fixture = await createFixture({ '.gitignore': 'dist\n.vitest' })
  addIgnored(rootOf(fixture), linesToIgnore(rootOf(fixture)))
  expect(await fixture.readFile('.gitignore', 'utf8')).toBe('dist\n.vitest\nnode_modules/\n**/evals/reports/\n')
  expect(linesToIgnore(rootOf(fixture))).toEqual([])
})

test('git adds cases and recordings, and nothing that a run leaves', async () => {
  await using fixture = await createFixture({
    'evals/cases/a.yaml': '',
    'evals/recordings/cases/a/claude-code.1.json': '{}',
    'evals/reports/2026-01-02T03-04-05Z.json': '{}',
    'packages/one/evals/reports/2026-01-02T03-04-05Z.json': '{}',
  })
  const cwd = rootOf(fixture)
  const git = (...args: readonly string[]): Promise<string> => outputOf('git', args, { cwd })
  const cases = ['evals/cases/a.yaml', 'evals/recordings/cases/a/claude-code.1.json']
  createRunFolder(cwd, 'run', runPlan([]))
  await git('init', '--quiet')
  await git('add', '-A')
  // The run folder ignores itself, also where no line says so.
  expect(
    (await git('ls-files'))
      .trim()
      .split('\n')
      .filter((path) => !path.includes('/reports/')),
  ).toEqual(cases)
  await git('rm', '--quiet', '-r', '--cached', '.')
  addIgnored(cwd, linesToIgnore(cwd))
  await git('add', '-A')
  expect((await git('ls-files')).trim().split('\n')).toEqual(['.gitignore', ...cases])
})

test.for([
  ['Writes entries. Use when the user asks for a changelog entry or notes.', 'I want a changelog entry or notes'],
  ['Use this skill whenever the user wants to merge PDF files. Also: more', 'I want to merge PDF files'],
  ['Tidies. Use when the user says "clean up this branch" or "tidy".', 'Clean up this branch'],
  ['Guidelines for reviewing code (see below). Use when reviewing pull requests.', 'I need help with reviewing code'],
  ['Reads PDF files. More follows.', 'Read PDF files, please'],
  ['Creates, edits, and applies patches', 'Create, edit, and apply patches, please'],
  ['Guidelines for the brand', 'I need help: Guidelines for the brand'],
  ['This skill is about tests', 'I need help: This skill is about tests'],
  ['整理会议记录。用于周会。', 'I need help: 整理会议记录'],
  [`Reads ${'many '.repeat(40)}files`, `Read${' many'.repeat(30)}, please`],
] as const)('%s', ([description, request]) => {
  expect(firstRequest({ name: 'x', description })).toBe(request)
})

function queriesOf(name: string): readonly string[] {
  return [
    'Do it, please',
    `Do you have something for ${name}? Please use it now`,
    'What is the capital of France?',
    'Rename the variable x to count in src/index.js',
  ]
}

/** Paths of the files that are new. */
async function init(root: string, all = false, engine: Layered<string> = UNNAMED): Promise<readonly string[]> {
  const survey = await surveyRepository({ root, named: null, all })
  const written = await writeEvals(root, await planEvals(root, survey, { all, engine }))
  return written.filter(({ isNew }) => isNew).map(({ file }) => relative(root, file))
}

function skill(name: string): string {
  return `---\nname: ${name}\ndescription: Does it\n---\nGo.\n`
}

function rootOf(fixture: FsFixture): string {
  return fixture.path.replace(/\/$/, '')
}

test.for<readonly [string, string, string, boolean]>([
  [
    'vitest.config.js',
    "const { defineConfig } = require('vitest/config')\nmodule.exports = defineConfig({})\n",
    '{}',
    true,
  ],
  ['vitest.config.js', "import { defineConfig } from 'vitest/config'\nexport default defineConfig({})\n", '{}', false],
  ['vitest.config.js', '', '{}', true],
  ['vitest.config.js', '', '{ "type": "module" }', false],
  ['vitest.config.cjs', '', '{ "type": "module" }', true],
  ['vitest.config.mts', '', '{}', false],
])('%s with %j in a package with %s is CommonJS: %s', async ([name, text, manifest, isCommonJs]) => {
  await using fixture = await createFixture({ 'package.json': manifest, [name]: text })
  expect(findConfig(fixture.path)).toEqual({ name, isSet: false, isCommonJs })
})
