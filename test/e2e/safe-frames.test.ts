// @module-tag no-engine
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { greeting, PACKAGE } from '../support/eval-project.ts'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { SKILLS } from '../support/skill-project.ts'

const CLEARS = '\u009b2J'

test.each([
  ['a case', `[{ "id": "a", "prompt": "Clear ${CLEARS} \u202e", "expectations": ["It did."], "files": ["gone.md"] }]`],
  ['a file', `[{ "id": "a", "prompt": "Clear ${CLEARS} \u202e \u001b]0;title\u0007", "expectations": ["It did."] }]`],
])('the lines around a mistake in %s do nothing to a terminal', async (_, evals) => {
  await using project = await createProject(repositoryVitest(), { ...SKILLS, 'skills/notes/evals/evals.json': evals })
  const { all } = await project.run(['run', '--project', 'evals'], { merged: true })
  expect(all).toContain(String.raw`1| [{ "id": "a", "prompt": "Clear \x9b2J \u202e`)
  expect(all).not.toMatch(/[\u0080-\u009f\u202a-\u202e]|\u001b\]/)
})

test('no line of a file is shown that is no regular file inside the root', async () => {
  await using outside = await createFixture({
    'secret.yaml': 'SECRET1\nSECRET2 \u202e\nSECRET3\n',
    'evals/cases/bad.yaml': 'name: SECRET4\n',
  })
  await using project = await createProject(repositoryVitest(), {
    ...PACKAGE,
    'evals/cases/greets.yaml': greeting('greets'),
    'evals/scenarios/greets.yaml': ({ symlink }) => symlink(outside.getPath('secret.yaml')),
    'other/package.agent.json': '{ "name": "other", "version": "1.0.0" }',
    'other/evals/cases/greets.yaml': greeting('greets'),
    'other/evals/eval-config.json': ({ symlink }) => symlink(outside.getPath('secret.yaml')),
    'third/package.agent.json': '{ "name": "third", "version": "1.0.0" }',
    'third/evals/cases/linked.yaml': ({ symlink }) => symlink(outside.getPath('secret.yaml')),
    'third/evals/cases/wrong.yaml': 'nme: wrong\n',
    'fourth/package.agent.json': '{ "name": "fourth", "version": "1.0.0" }',
    'fourth/evals': ({ symlink }) => symlink(outside.getPath('evals')),
  })
  const { all } = await project.run(['run', '--project', 'evals'], { merged: true })
  expect(all).toContain('evals/scenarios/greets.yaml:1:1 is a symbolic link, not a regular file')
  expect(all).toContain('other/evals/eval-config.json:1:1 is a symbolic link, not a regular file')
  expect(all).toContain('third/evals/cases/linked.yaml:1:1 is a symbolic link, not a regular file')
  expect(all).toContain('1  |  nme: wrong')
  expect(all).not.toContain('SECRET')
})

test('no name begins a line with a command to a CI log, and no line of ours has one', async () => {
  const command = '::error::x ##[error]y ##vso[task.complete]z'
  await using project = await createProject(repositoryVitest(), {
    [command]: {
      ...PACKAGE,
      'evals/cases/::error::bad.yaml': `name: bad\nnme: "${command}"\n`,
      'skills/notes/SKILL.md': `---\nname: "${command}"\ndescription: Notes.\n---\n`,
      'skills/notes/evals/evals.json': JSON.stringify({
        evals: [{ id: command, prompt: 'Hi', expectations: ['Yes.'] }],
      }),
      'skills/notes/evals/triggers.json': JSON.stringify([{ query: command, should_trigger: true }]),
    },
  })
  const printed = async (...args: readonly string[]): Promise<string> =>
    (await project.agentEvals(args, { merged: true, env: { AGENT_EVALS_JUDGE: '' } })).all
  const run = await printed('run')
  expect(run.match(/^\s*::.*/gm)).toBeNull()
  // Vitest prints the paths of files as they are.
  expect(run.match(/^(?:agent-evals|AgentEvalsError|Agent Evals).*##\[/gm)).toBeNull()
  for (const args of [['list'], ['list', '--json'], ['lint'], ['merge', '.', '-o', `${command}.json`]]) {
    const text = await printed(...args)
    expect(text).toContain('::error::')
    expect(text.match(/^\s*::.*|##\[.*|##vso.*/gm)).toBeNull()
  }
  expect(JSON.parse(await printed('list', '--json'))).toMatchObject({ cases: [{ prompt: 'Hi' }, { prompt: command }] })
})
