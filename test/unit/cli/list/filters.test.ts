import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { list } from '../../../../src/cli/commands/list.ts'
import { greeting } from '../../../support/eval-project.ts'
import { printed } from '../../../support/printed.ts'

const FILES = {
  'package.agent.json': '{ "name": "p" }\n',
  'skills/pdf/SKILL.md': '---\nname: pdf\ndescription: Reads PDFs.\n---\nRead it.\n',
  'skills/pdf/evals/evals.json': JSON.stringify({
    skill_name: 'pdf',
    evals: [{ id: 1, name: 'sums', prompt: 'Sum it.', expectations: ['It is short.'] }],
  }),
  'skills/pdf/evals/triggers.json': JSON.stringify([{ query: 'Read a PDF', should_trigger: true }]),
  'evals/cases/a.yaml': greeting('a'),
  'evals/cases/b.yaml': greeting('b', 'target: skill:pdf\n'),
}

test.for([
  ['', ['a', 'b', '1 sums', 'Read a PDF']],
  ['a', ['a']],
  ['evals/cases/b.yaml:1', ['b']],
  ['skills/', ['1 sums', 'Read a PDF']],
  ['--target skill:pdf', ['b', '1 sums', 'Read a PDF']],
  ['--mode trigger', ['Read a PDF']],
  ['--mode artifact --target skill:pdf', ['b', '1 sums']],
  ['-t ^[ab]$', ['a', 'b']],
  ['--test-name-pattern=sum', ['1 sums']],
  ['--evals skills/pdf/evals/evals.json', ['1 sums']],
  ['--engine codex a', ['a']],
  ['--all --live b', ['b']],
] as const)('list %s', async ([flags, expected]) => {
  await using fixture = await createFixture(FILES)
  const argv = flags.split(' ').map((word) => (word.startsWith('skills/pdf/') ? fixture.getPath(word) : word))
  const text = await printed(list, '--json', '--root', fixture.path, ...argv.filter((word) => word !== ''))
  const { cases } = JSON.parse(text) as { readonly cases: readonly { readonly name: string }[] }
  expect(cases.map(({ name }) => name).toSorted()).toEqual([...expected].toSorted())
})

test.for([
  [['--mode', 'bad'], '--mode is "bad": expected'],
  [['--runs', '0'], '--runs is "0": must be'],
] as const)('a wrong value is a mistake in the flag of list that has it: %s', async ([flags, message]) => {
  await using fixture = await createFixture(FILES)
  await expect(printed(list, '--root', fixture.path, ...flags)).rejects.toThrow(message)
})

test('list shows each case in one of the shards', async () => {
  await using fixture = await createFixture(FILES)
  const shards: (readonly { readonly name: string }[])[] = []
  for (const index of [1, 2, 3]) {
    const text = await printed(list, '--json', '--root', fixture.path, '--shard', `${index}/3`)
    shards.push((JSON.parse(text) as { readonly cases: readonly { readonly name: string }[] }).cases)
  }
  expect(shards.map(({ length }) => length)).toEqual([2, 1, 1])
  const names = shards.flat().map(({ name }) => name)
  expect(names.toSorted()).toEqual(['1 sums', 'Read a PDF', 'a', 'b'])
})

test('list shows the tests in TypeScript that a run starts with the same filters', async () => {
  await using fixture = await createFixture({
    ...FILES,
    'a.eval.ts': `import { describe, test } from 'vitest-agent-evals/test'
test('a', () => {})
describe('block', { tags: 'slow' }, () => {
  test('deep', { tags: ['fast'] }, () => {})
  test.for([1, 2])('n %i', () => {})
})
`,
  })
  for (const [flags, expected] of [
    ['', ['a', 'block > deep', 'block > n %i']],
    ['a', ['a']],
    ['a.eval.ts:4', ['block > deep']],
    ['--tag slow', ['block > deep', 'block > n %i']],
    ['--tag fast,other', ['block > deep']],
    ['-t block.deep$', ['block > deep', 'block > n %i']],
    ['--mode artifact a.eval.ts', ['a', 'block > deep', 'block > n %i']],
    ['--mode trigger', []],
    ['--target skill:pdf', []],
    ['--case a*', []],
  ] as const) {
    const argv = flags.split(' ').filter((word) => word !== '')
    const { tests, files } = JSON.parse(await printed(list, '--json', '--root', fixture.path, ...argv)) as Listed
    expect([flags, tests.map(({ name }) => name)]).toEqual([flags, expected])
    expect(files).toEqual(expected.length === 0 ? [] : ['a.eval.ts'])
  }
  for (const [flags, message] of [
    ['--tag slwo', 'No case has the tag "slwo". Did you mean "slow"?'],
    ['--target skill:pfd', 'No case has the target "skill:pfd". Did you mean "skill:pdf"?'],
    ['--category x', 'No case has the category "x".'],
    ['a.eval.ts:99', 'No case is at a.eval.ts:99. Cases begin at: 2, 4, 5.'],
  ] as const)
    await expect(printed(list, '--root', fixture.path, ...flags.split(' '))).rejects.toThrow(message)
})

interface Listed {
  readonly tests: readonly { readonly name: string }[]
  readonly files: readonly string[]
}

test('list takes each filter of run', () => {
  for (const flag of ['target', 'mode', 'category', 'test', 'tag', 'case', 'shard', 'evals', 'agents-root', 'engine'])
    expect(list.details.join('\n')).toContain(`--${flag} `)
})
