import { relative, resolve } from 'node:path'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { lint } from '../../../src/cli/commands/lint.ts'
import { list } from '../../../src/cli/commands/list.ts'
import { printed } from '../../support/printed.ts'

const skill = (name: string): string => `---\nname: ${name}\ndescription: Use it for ${name}.\n---\nDo it.\n`
const evals = (...ids: readonly string[]): string =>
  JSON.stringify(ids.map((id) => ({ id, prompt: `Do ${id}.`, expectations: ['Done'] })))
const SCENARIO = 'turns:\n  - text: Done\n'
const FILES = {
  'skills/a/SKILL.md': skill('a'),
  'skills/a/evals/evals.json': evals('one', 'two', 'three'),
  'skills/b/SKILL.md': skill('b'),
  'skills/b/evals/evals.json': evals('one', 'three', 'four'),
  // Two suites have a case of this id.
  'evals/scenarios/one.yaml': SCENARIO,
  // One suite has this id, and the other plays a file of its own.
  'evals/scenarios/two.yaml': SCENARIO,
  'evals/scenarios/three.codex.2.yaml': SCENARIO,
  'evals/scenarios/skills/b/evals/evals/three.yaml': SCENARIO,
}

const SHARED = [
  [
    'skills/a/evals/evals.json',
    'evals/scenarios/one.yaml is the scenario of cases in two suites: skills/a/evals/evals.json and skills/b/evals/evals.json. Move it to evals/scenarios/skills/a/evals/evals/one.yaml.',
  ],
  [
    'skills/a/evals/evals.json',
    'evals/scenarios/three.codex.2.yaml is the scenario of cases in two suites: skills/a/evals/evals.json and skills/b/evals/evals.json. Move it to evals/scenarios/skills/a/evals/evals/three.codex.2.yaml.',
  ],
  [
    'skills/b/evals/evals.json',
    'evals/scenarios/one.yaml is the scenario of cases in two suites: skills/b/evals/evals.json and skills/a/evals/evals.json. Move it to evals/scenarios/skills/b/evals/evals/one.yaml.',
  ],
] as const

test('lint and list name a scenario that two suites with the same case ids would share', async () => {
  await using fixture = await createFixture(FILES)
  const root = fixture.path.replace(/\/$/, '')
  const { errors, issues } = JSON.parse(await printed(lint, '--json', root)) as {
    readonly errors: number
    readonly issues: readonly { file: string; line: number; severity: string; code: string; message: string }[]
  }
  expect(
    issues.map(({ severity, code, file, message }) => [severity, code, relative(root, resolve(file)), message]),
  ).toEqual(SHARED.map(([file, message]) => ['error', 'invalid-scenario', file, message]))
  expect(errors).toBe(3)

  const { cases, notes } = JSON.parse(await printed(list, '--json', '--root', root)) as {
    readonly cases: readonly { id: string; answers: string }[]
    readonly notes: readonly { file: string; line: number; message: string }[]
  }
  expect(notes.map(({ file, line, message }) => [file, line, message])).toEqual(
    SHARED.map(([file, message]) => [file, 1, message]),
  )
  // No model is asked for a case whose scenario is refused.
  expect(cases.map(({ id, answers }) => [id.replace('/evals/evals.json', ''), answers])).toEqual([
    ['skills/a#one', 'scenario'],
    ['skills/a#two', 'scenario'],
    ['skills/a#three', 'live'],
    ['skills/b#one', 'scenario'],
    ['skills/b#three', 'scenario'],
    ['skills/b#four', 'live'],
  ])
  for (const text of [await printed(list, '--explain', '--root', root), await printed(list, '--root', root)])
    expect(text.split('\n').filter((line) => line.includes('in two suites'))).toEqual(
      SHARED.map(([file, message]) => expect.stringMatching(new RegExp(`^error: ${file}:1:\\d+ ${message}$`))),
    )
})

test('the scenario of a case in a file of its own is not that of an eval of a skill with the same id', async () => {
  const aam = (name: string): string =>
    `name: ${name}\ndescription: d\ninput:\n  prompt: Do ${name}.\njudge:\n  criteria: Done\n`
  await using fixture = await createFixture({
    'package.agent.json': JSON.stringify({
      name: '@t/p',
      version: '1.0.0',
      artifacts: { skills: [{ path: 'skills/a' }] },
    }),
    'skills/a/SKILL.md': skill('a'),
    'skills/a/evals/evals.json': evals('one', 'two', 'three'),
    'evals/cases/one.yaml': aam('one'),
    'evals/cases/other.yaml': aam('two'),
    'evals/cases/free.yaml': aam('free'),
    'evals/scenarios/one.yaml': SCENARIO,
    'evals/scenarios/two.yaml': SCENARIO,
    'evals/scenarios/three.yaml': SCENARIO,
    // The eval plays a file of its own.
    'evals/scenarios/skills/a/evals/evals/two.yaml': SCENARIO,
  })
  const root = fixture.path.replace(/\/$/, '')
  const message =
    'evals/scenarios/one.yaml is the scenario of cases in two suites: skills/a/evals/evals.json and evals/cases/one.yaml. Copy it to evals/scenarios/skills/a/evals/evals/one.yaml.'
  const { issues } = JSON.parse(await printed(lint, '--json', root)) as {
    readonly issues: readonly { file: string; code: string; message: string }[]
  }
  expect(issues.filter(({ code }) => code === 'invalid-scenario').map(({ message: text }) => text)).toEqual([message])
  const { notes } = JSON.parse(await printed(list, '--json', '--root', root)) as {
    readonly notes: readonly { file: string; message: string }[]
  }
  const own = notes.filter(({ file }) => file === 'skills/a/evals/evals.json')
  expect(own.map(({ message: text }) => text)).toEqual([message])
})
