// @module-tag no-engine
import { describe, expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { CONFIG, createPackage, skillTest } from '../support/assert-project.ts'

const FILES = {
  'package.agent.json': '{"name": "sample", "version": "1.0.0"}',
  'skills/one/tests/cases/01-a.yaml': skillTest('a', 'true'),
  'skills/one/tests/cases/02-b.yaml': skillTest('b', 'true'),
  'skills/two/tests/cases/01-a.yaml': skillTest('a', 'false'),
  'hooks/hooks.json': JSON.stringify({
    version: 1,
    hooks: {
      stop: [{ hooks: [{ type: 'command', command: 'true' }] }],
      'session-start': [{ hooks: [{ type: 'command', command: 'true' }] }],
    },
  }),
  'hooks/tests/cases/stop.yaml': 'name: stop\nevent: stop\n',
  'hooks/tests/cases/start.yaml': 'name: start\nevent: session-start\n',
  'commands/greet.md': '---\nname: greet\ndescription: Greets.\n---\nHello\n',
  'commands/tests/cases/greet.yaml': 'name: greet\ninput:\n  command: greet\nexpected:\n  contains: [Hello]\n',
}

const major = repositoryVitest()

describe('agent-evals test', () => {
  test('runs all tests, without a configuration', async () => {
    await using project = await createProject(major, FILES)
    const all = await project.agentEvals(['test'])
    expect(all.all).toMatch(/Tests +1 failed \| 7 passed \(8\)/)
    expect(all.exitCode).toBe(1)
  })

  test('runs what is named', async () => {
    await using project = await createProject(major, FILES)
    const results = async (...args: string[]): Promise<[number | null, string | undefined]> => {
      const { exitCode, all: text } = await project.agentEvals(['test', ...args])
      return [exitCode, /^ +Tests +(.*)$/m.exec(text)?.[1]]
    }
    // Another skill has a case of that name, and this one another case.
    expect(await results('--skill', 'one', '--case', '01-a')).toEqual([0, '1 passed (1)'])
    expect(await results('--event', 'session-start')).toEqual([0, '2 passed (2)'])
    expect(await results('--hooks', '--case', 'stop', '.')).toEqual([0, '2 passed (2)'])
    expect(await results('--commands')).toEqual([0, '1 passed (1)'])
  })

  test('what does not exist exits 2 with the nearest names', async () => {
    await using project = await createProject(major, FILES)
    const printed = async (...args: string[]): Promise<string> => {
      const { exitCode, stderr } = await project.agentEvals(['test', ...args])
      return `${exitCode} ${stderr.trim()}`
    }
    expect(await printed('--skill', 'oen')).toBe('2 agent-evals test: no skill "oen" has tests. Did you mean "one"?')
    expect(await printed('--case', '03-c')).toContain('2 agent-evals test: no case file is called "03-c".')
    expect(await printed('--event', 'stopp')).toBe(
      '2 agent-evals test: "stopp" is not a hook event. Did you mean "stop"?',
    )
    expect(await printed('--event', 'pre-compact')).toBe(
      '2 agent-evals test: no test is for the event "pre-compact". There is session-start, stop.',
    )
    expect(await printed('--skill', 'one', '--hooks')).toContain('--skill excludes')
    expect(await printed('nowhere')).toBe('2 agent-evals test: <root>/nowhere is not a folder.')
  })
})

describe('project assert', () => {
  test('mistakes fail their file at line, column and field, all at once; the others run', async () => {
    await using project = await createPackage(major, {
      'skills/s/SKILL.md': '---\nname: s\ndescription: S.\n---\n',
      'skills/s/tests/cases/good.yaml': skillTest('good', 'true'),
      'skills/s/tests/cases/bad.yaml': 'name: bad\ninput:\n  comand: x\nexpected:\n  exit-code: no\n',
    })
    const run = await project.run(['run'])
    expect(run.exitCode).toBe(1)
    expect(run.all).toMatch(/Tests +1 passed \(1\)/)
    expect(run.all).toContain('skills/s/tests/cases/bad.yaml:3:3 input.comand: unknown field. Did you mean "command"?')
    expect(run.all).toContain('skills/s/tests/cases/bad.yaml:5:14 expected.exit-code: expected a number, got a string')
  })

  test('is not there where nothing is to be tested, and leaves the tests of the user alone', async () => {
    await using project = await createProject(major, {
      'vitest.config.ts': CONFIG,
      'a.test.ts': "import { test } from 'vitest'\ntest('a', () => {})\n",
      'other/hooks/tests/cases/theirs.yaml': 'jobs: []\n',
    })
    const run = await project.run(['run'])
    expect(run.all).toMatch(/Tests +1 passed \(1\)/)
    expect(run.all).not.toContain('assert')
  })

  test('a project of that name is an error that names the option', async () => {
    await using project = await createPackage(major, {
      'skills/s/tests/cases/a.yaml': skillTest('a', 'true'),
      'vitest.config.ts': CONFIG.replace('plugins:', "test: { projects: [{ test: { name: 'assert' } }] }, plugins:"),
    })
    const run = await project.run(['run'])
    expect(run.exitCode).toBe(1)
    expect(run.all).toContain(
      'already has a project "assert". Rename the project of this plugin: agentEvals({ assertName: \'agent-assert\' })',
    )
  })
})
