import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { lint } from '../../../src/cli/commands/lint.ts'
import { list } from '../../../src/cli/commands/list.ts'
import { printed } from '../../support/printed.ts'

const skill = (name: string): string => `---\nname: ${name}\ndescription: Use it for ${name}.\n---\nDo it.\n`
const EVALS = JSON.stringify([{ id: 'first', prompt: 'Plan it.', expectations: ['Done'] }])
const QUERIES = JSON.stringify({ should_trigger: ['Plan it'], should_not_trigger: ['Sing'] })
const SCENARIO = 'turns:\n  - text: Done\n'

// Two packages with skills of one name, files of one path and cases of one id, and a third with cases of its own.
const FILES = {
  'package.json': '{ "private": true, "workspaces": ["packages/*"] }',
  'packages/a/.claude-plugin/plugin.json': '{ "name": "a", "version": "1.0.0", "description": "A." }',
  'packages/a/skills/plan/SKILL.md': skill('plan'),
  'packages/a/skills/plan/evals/evals.json': EVALS,
  'packages/a/skills/plan/evals/triggers.json': QUERIES,
  'packages/a/skills/plan/evals/first/setup/a.md': 'a',
  'packages/a/evals/scenarios/first.yaml': SCENARIO,
  'packages/b/.claude-plugin/plugin.json': '{ "name": "b", "version": "1.0.0", "description": "B." }',
  'packages/b/skills/plan/SKILL.md': skill('plan'),
  'packages/b/skills/plan/evals/evals.json': EVALS,
  'packages/b/skills/plan/evals/first/setup/b.md': 'b',
  'packages/b/evals/scenarios/first.yaml': SCENARIO,
  'packages/c/package.agent.json': '{ "name": "@t/c", "version": "1.0.0" }',
  'packages/c/evals/eval-config.json': '{ "version": 1, "engine": "claude-code" }\n',
  'packages/c/evals/cases/first.yaml':
    'name: first\ndescription: d\ninput:\n  prompt: Do it.\njudge:\n  criteria: Done\n',
}

interface Listed {
  readonly cases: readonly {
    readonly id: string
    readonly name: string
    readonly file: string
    readonly answers: string
    readonly overlays: readonly string[]
  }[]
  readonly notes: readonly object[]
}

test('list has the cases of every package, each with the fixtures and scenarios of its own', async () => {
  await using fixture = await createFixture(FILES)
  const { cases, notes } = JSON.parse(await printed(list, '--root', fixture.path, '--json')) as Listed
  expect(cases.map(({ file, name, answers, overlays }) => [file, name, answers, ...overlays])).toEqual([
    ['packages/a/skills/plan/evals/evals.json', 'first', 'scenario', 'packages/a/skills/plan/evals/first/setup'],
    ['packages/a/skills/plan/evals/triggers.json', 'Plan it', 'live'],
    ['packages/a/skills/plan/evals/triggers.json', 'Sing', 'live'],
    ['packages/b/skills/plan/evals/evals.json', 'first', 'scenario', 'packages/b/skills/plan/evals/first/setup'],
    ['packages/c/evals/cases/first.yaml', 'first', 'live'],
  ])
  expect(notes).toEqual([])
})

test('list of one package has its cases alone', async () => {
  await using fixture = await createFixture(FILES)
  const { cases } = JSON.parse(await printed(list, '--root', fixture.getPath('packages/b'), '--json')) as Listed
  expect(cases.map(({ id, file }) => [id, file])).toEqual([
    ['skills/plan/evals/evals.json#first', 'skills/plan/evals/evals.json'],
  ])
})

test('lint has nothing to say of packages that are alike, and names the package of a mistake', async () => {
  await using fixture = await createFixture(FILES)
  const good = JSON.parse(await printed(lint, '--json', fixture.path)) as { readonly issues: readonly object[] }
  expect(good.issues).toEqual([])

  await fixture.writeFile(
    'packages/b/skills/plan/evals/evals.json',
    EVALS.replace('["Done"]', '["Done"], "files": ["gone.md"]'),
  )
  const { errors, issues } = JSON.parse(await printed(lint, '--json', fixture.path)) as {
    readonly errors: number
    readonly issues: readonly { readonly file: string; readonly code: string }[]
  }
  expect(errors).toBe(1)
  expect(issues.map(({ file, code }) => [file.slice(file.indexOf('packages/')), code])).toEqual([
    ['packages/b/skills/plan/evals/evals.json', 'file-missing'],
  ])
})
