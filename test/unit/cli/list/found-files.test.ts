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

test('copies and schemas of suites are none, and a second place of a skill is named', async () => {
  const evals = JSON.stringify([{ id: 1, prompt: 'Do it', expectations: ['Done'] }])
  const more = {
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
  ])
})

test('a case of a package is read, whatever it is called', async () => {
  const text = 'name: greets\ninput: { prompt: Greet me }\njudge: { criteria: It greets. }\n'
  const names = ['evals', 'eval', 'pdf-evals', 'use.eval', 'queries']
  const listed = await linesOf(
    {},
    {
      'package.agent.json': '{ "name": "p", "version": "1.0.0" }',
      ...Object.fromEntries(names.map((name) => [`evals/cases/${name}.yaml`, text])),
    },
    'package.json',
  )
  expect(listed.filter((line) => line.includes('Greet me'))).toHaveLength(names.length)
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

test('a file of no skill is named, with the skills that it may be for', async () => {
  const evals = { skill_name: 'all-of-it', evals: [{ id: 1, prompt: 'Do it', expectations: ['Done'] }] }
  expect(await linesOf([{ query: 'Do it', should_trigger: true }], {}, 'evals/triggers.json')).toEqual([
    'note: evals/triggers.json matches no skill. Write "skill_name". Skills: x, y.',
    NONE_READ,
  ])
  expect(await linesOf(evals, {}, 'evals/evals.json')).toEqual([
    'note: evals/evals.json is for "all-of-it", which is no skill here. Write "skill_name". Skills: x, y.',
    NONE_READ,
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
      `${what} of x: Do`,
      'note skill_name: has no effect: "y" is another skill; the file tests the skill "x", in whose folder it is',
    ])
    expect(await of('z')).toEqual([
      `${what} of x: Do`,
      'note skill_name: has no effect: there is no skill "z"; the file tests the skill "x", in whose folder it is',
    ])
  },
)

test('a list of evals where others keep a case a file is read, also beside files of ours', async () => {
  const of = async (more: FileTree): Promise<readonly string[]> => linesOf({}, more, 'package.json')
  const entries = '- id: a\n  prompt: Do x\n  expected_skill: x\n'
  const list = { 'evals/cases/x.yaml': `plugin: p\ncases:\n${entries.replaceAll(/^/gm, '  ').trimEnd()}\n` }
  const read = [
    'trigger of x: Do x | check "The skill x is used."',
    'note plugin: has no effect; give it a role in "fields"',
  ]
  expect(await of(list)).toEqual(read)
  // A configuration beside it makes it no case of ours.
  expect(await of({ ...list, 'evals/eval-config.json': '{ "fields": { "plugin": "ignore" } }' })).toEqual([read[0]])
  expect(await of({ 'skills/x/evals/cases/a.yaml': entries })).toEqual([read[0]])
})

const NONE_READ =
  'note: No evals found: no file reads like a suite. Create a first one with npx vitest-agent-evals init.'
