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
  ['--shard 1/2', ['a', '1 sums']],
  ['--shard 2/2', ['b', 'Read a PDF']],
  ['--tags-filter !x a', ['a']],
  ['--tags-filter !x --tags-filter y a', []],
  ['--tags-filter y --tags-filter !x a', []],
  ['--all --live b', ['b']],
] as const)('list %s', async ([flags, expected]) => {
  await using fixture = await createFixture(FILES)
  const argv = flags.split(' ').map((word) => (word.startsWith('skills/pdf/') ? fixture.getPath(word) : word))
  const text = await printed(list, '--json', '--root', fixture.path, ...argv.filter((word) => word !== ''))
  const { cases } = JSON.parse(text) as { readonly cases: readonly { readonly name: string }[] }
  expect(cases.map(({ name }) => name).toSorted()).toEqual([...expected].toSorted())
})

test('list takes each filter of run', () => {
  for (const flag of ['target', 'mode', 'category', 'test', 'tag', 'case', 'shard', 'evals', 'agents-root', 'engine'])
    expect(list.details.join('\n')).toContain(`--${flag} `)
})
