import { expect, test } from 'vitest'
import { linesOf } from '../../../support/listed-lines.ts'
import type { FileTree } from 'fs-fixture'

const skill = (name: string): string => `---\nname: ${name}\ndescription: Use it for ${name}.\n---\nDo it.\n`

test('the evals of a plugin route to each of its skills, under their plain names and under those of the plugin', async () => {
  const evals = [
    { id: 'r', skill: 'roll', prompt: 'Roll', expectations: ['Rolled'] },
    { id: 'b', expected_skill: 'ops:back', prompt: 'Back' },
  ]
  const plugin = {
    'plugins/ops/.claude-plugin/plugin.json': '{ "name": "ops", "version": "1.0.0" }',
    'plugins/ops/skills/roll/SKILL.md': skill('roll'),
    'plugins/ops/skills/back/SKILL.md': skill('back'),
  }
  expect(await linesOf({ evals }, plugin, 'plugins/ops/evals/evals.json')).toEqual([
    'eval of roll: Roll | judge "Rolled"',
    'trigger of back: Back | check "The skill back is used."',
  ])
})

test('suites in formats that are not read are counted by name, and copies and schemas of suites are none', async () => {
  const evals = JSON.stringify([{ id: 1, prompt: 'Do it', expectations: ['Done'] }])
  const more = {
    'skills/x/evals/triggers.yml': '- query: a\n',
    'skills/x/evals/prompts.csv': 'id,should_trigger,prompt\n',
    'skills/x/evals/cases.jsonl': '{}\n',
    'skills/y/evals/y.eval.yaml': 'a: 1\n',
    ...Object.fromEntries(
      ['schemas', 'fixtures', 'mocks', 'benchmark', 'workspace'].map((folder) => [
        `skills/x/evals/${folder}/evals.json`,
        evals,
      ]),
    ),
    'skills/x/tests/evals.json': evals,
  }
  expect(await linesOf(evals, more)).toEqual([
    'eval of x: Do it | judge "Done"',
    'note: Evals of x are also in skills/x/tests; only those in skills/x/evals are used.',
    'note: 1 *.jsonl file of another format, ignored (skills/x/evals/cases.jsonl).',
    'note: 1 prompts.csv file of another format, ignored (skills/x/evals/prompts.csv).',
    'note: 1 triggers.yml file of another format, ignored (skills/x/evals/triggers.yml).',
    'note: 1 *.eval.yaml file of another format, ignored (skills/y/evals/y.eval.yaml).',
  ])
})

test('a case of a package and a pipeline of CI are no suite of another format, whatever they are called', async () => {
  const of = async (more: FileTree): Promise<readonly string[]> => linesOf({}, more, 'package.json')
  const text = 'name: greets\ninput: { prompt: Greet me }\njudge: { criteria: It greets. }\n'
  const cases = ['evals', 'eval', 'pdf-evals', 'use.eval', 'queries'].map((name) => [`evals/cases/${name}.yaml`, text])
  const pipelines = {
    '.github/workflows/evals.yml': 'on: push\n',
    'docs/ci/evals.yml': 'on: push\njobs:\n  evals:\n    runs-on: ubuntu-latest\n    steps: [{ run: npm test }]\n',
    'ci/gitlab/evals.yml': 'stages: [test]\nevals:\n  stage: test\n  script: [npm test]\n',
  }
  const listed = await of({
    'package.agent.json': '{ "name": "p", "version": "1.0.0" }',
    ...Object.fromEntries(cases),
    ...pipelines,
  })
  expect(listed.filter((line) => line.includes('another format'))).toEqual([])
  expect(listed.filter((line) => line.includes('Greet me'))).toHaveLength(cases.length)
})

test('one contradiction fails its case, and the others of the file and of the repository are listed', async () => {
  const value = [
    { id: 'a', prompt: 'Do it', should_trigger: true, should_not_trigger: true },
    { id: 'b', prompt: 'Do that', should_trigger: true },
  ]
  const lines = await linesOf(value, {
    'skills/y/evals/evals.json': JSON.stringify([{ id: 'c', prompt: 'Do more', expectations: ['Done'] }]),
  })
  expect(lines).toEqual([
    'trigger of x: Do it',
    'trigger of x: Do that | check "The skill x is used."',
    'eval of y: Do more | judge "Done"',
    'note 0.should_not_trigger: contradicts "should_trigger"; keep one of them',
  ])
})

test('the name of a plugin means all its skills, and a name of nothing is no reason to run', async () => {
  const evals = { skill_name: 'all-of-it', evals: [{ id: 1, prompt: 'Do it', expectations: ['Done'] }] }
  const plugin = { '.claude-plugin/plugin.json': JSON.stringify({ name: 'all-of-it' }) }
  expect(await linesOf(evals, plugin, 'evals/evals.json')).toEqual([
    'eval of null: Do it | judge "Done"',
    'note skill_name: has no effect: there is no skill "all-of-it"; each entry is about the skill that it names, or about all',
  ])
  expect(await linesOf([{ query: 'Do it', should_trigger: true }], {}, 'evals/triggers.json')).toEqual([
    'note: evals/triggers.json matches no skill. Put the list into { "skill_name": "x", "evals": [...] } to connect it to its skill. Skills: x, y.',
    'note: No evals found: no file reads like a suite. Create a first one with npx vitest-agent-evals init.',
  ])
  expect(await linesOf(evals, {}, 'evals/evals.json')).toEqual([
    'note: evals/evals.json is for "all-of-it", which is no skill here. Write "skill_name": "x" to connect it to its skill. Skills: x, y.',
    'note: No evals found: no file reads like a suite. Create a first one with npx vitest-agent-evals init.',
  ])
})

test.for(['evals', 'triggers'])(
  '%s that name another skill than their folder says say which is tested and why',
  async (kind) => {
    const entry =
      kind === 'evals' ? { id: 1, prompt: 'Do', expectations: ['Done'] } : { query: 'Do', should_trigger: true }
    const of = async (name: string): Promise<readonly string[]> =>
      (await linesOf({ skill_name: name, evals: [entry] }, {}, `skills/x/evals/${kind}.json`)).map(
        (line) => line.split(' | ')[0] ?? '',
      )
    const what = kind === 'evals' ? 'eval' : 'trigger'
    expect(await of('x')).toEqual([`${what} of x: Do`])
    expect(await of('y')).toEqual([
      `${what} of y: Do`,
      'note skill_name: the file tests the skill "y", which it names, and not "x", which its place says; remove skill_name to test "x"',
    ])
    expect(await of('z')).toEqual([
      `${what} of x: Do`,
      'note skill_name: has no effect: there is no skill "z"; the file tests the skill "x", in whose folder it is',
    ])
  },
)

test('what is not read is named once, and never with a remark that there is no file', async () => {
  const of = async (more: FileTree): Promise<readonly string[]> => linesOf({}, more, 'package.json')
  expect(await of({ 'evals/cases.yaml': 'cases: []\n', 'evals/more.yml': 'a: 1\n', 'a.eval.md': '# A\n' })).toEqual([
    'note: 1 *.eval.md file of another format, ignored (a.eval.md).',
    'note: 2 *.yaml files of another format, ignored (first: evals/cases.yaml).',
    NONE_READ,
  ])
  // Beside the file of another tool its cases are its own, also at a place of ours.
  const cases = { 'skills/x/evals/cases/a.yaml': 'id: a\nsteps: []\n' }
  expect(await of({ ...cases, 'skills/x/evals/eval.yaml': 'cases: {}\n' })).toEqual([
    'note: 1 eval.yaml file of another format, ignored (skills/x/evals/eval.yaml).',
    NONE_READ,
  ])
  expect((await of(cases)).join('\n')).toContain('note judge: missing')
})

test('a list of evals where others keep a case a file is read, also beside files of ours, and those are counted', async () => {
  const of = async (more: FileTree): Promise<readonly string[]> => linesOf({}, more, 'package.json')
  const entries = '- id: a\n  prompt: Do x\n  expected_skill: x\n'
  const list = { 'evals/cases/x.yaml': `plugin: p\ncases:\n${entries.replaceAll(/^/gm, '  ').trimEnd()}\n` }
  const read = ['trigger of x: Do x | check "The skill x is used."', 'note plugin: has no effect: unknown field']
  expect(await of(list)).toEqual(read)
  // What `lint --fix` writes makes it no case of ours.
  expect(await of({ ...list, 'evals/eval-config.json': '{ "fields": { "plugin": "ignore" } }' })).toEqual([read[0]])
  expect(await of({ 'skills/x/evals/cases/a.yaml': entries })).toEqual([read[0]])
  const other = 'name: a\ninput_query: Do x\nmust_find: [{ id: b }]\n'
  expect(await of({ 'p/eval/cases/a.yaml': other, 'p/eval/cases/b.yaml': other })).toEqual([
    'note: 2 cases/*.yaml files of another format, ignored (first: p/eval/cases/a.yaml).',
    NONE_READ,
  ])
})

test('a suite that matches no skill is to be connected to the one that its path names, where it names one', async () => {
  const queries = JSON.stringify([{ query: 'Do it', should_trigger: true }])
  const skills = ['review', 'deep-review'].map((name) => [`skills/${name}/SKILL.md`, skill(name)] as const)
  const of = async (file: string): Promise<readonly string[]> =>
    (await linesOf({}, { ...Object.fromEntries(skills), [file]: queries }, 'package.json')).slice(0, 1)
  const connect = (name: string): string =>
    `matches no skill. Put the list into { "skill_name": "${name}", "evals": [...] } to connect it to its skill.`
  const [first, second] = ['evals/pack-deep-review-eval.json', 'work/review/trigger-eval.json']
  expect(await of(first)).toEqual([`note: ${first} ${connect('deep-review')}`])
  expect(await of(second)).toEqual([`note: ${second} ${connect('review')}`])
  expect(await of('evals/previews.json')).toEqual([
    `note: evals/previews.json ${connect('deep-review')} Skills: deep-review, review, x, y.`,
  ])
})

const NONE_READ =
  'note: No evals found: no file reads like a suite. Create a first one with npx vitest-agent-evals init.'
