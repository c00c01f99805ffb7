import { symlink } from 'node:fs/promises'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { loadPackage } from '../../../src/packages/load-package.ts'
import { findings, load, MANIFEST } from '../../support/package-fixture.ts'

test('skills', async () => {
  expect(
    await findings({
      'skills/none/readme.txt': '',
      'skills/plain/SKILL.md': '# Plain',
      'skills/broken/SKILL.md': '---\nname: broken\ndescription: Use when: asked\n---\n',
      'skills/empty/SKILL.md': '---\nname: empty\ndescription: ""\n---\n',
      'skills/renamed/SKILL.md': `---\nname: other\ndescription: ${'x'.repeat(1100)}\n---\n`,
      'skills/open/SKILL.md': '---\nname: open\n',
      'skills/nameless/SKILL.md': '---\ndescription: x\n---\n',
      'skills/one/SKILL.md': '---\nname: two\ndescription: x\n---\n',
      'skills/two/SKILL.md': '---\nname: two\ndescription: x\n---\n',
      'skills/README.md': 'not a skill',
      'skills/evals/conflicts.json': '[]',
    }),
  ).toMatchInlineSnapshot(`
    [
      "skills/broken/SKILL.md:3:14 warning loose-front-matter [skill:broken] : a ": " inside a value; put the whole value in quotes; Claude Code reads the value as a text",
      "skills/empty/SKILL.md:3:14 warning missing-field [skill:empty] description: missing; an agent chooses a skill by it, and Claude Code shows the first line of the body in its place",
      "skills/nameless/SKILL.md:2:1 warning missing-field [skill:nameless] name: missing; write \`name: nameless\`",
      "skills/none/SKILL.md:1:1 error file-missing [skill:none] : the file does not exist",
      "skills/one/SKILL.md:2:7 warning name-differs [skill:one] name: differs from the folder's name "one", which engines use",
      "skills/open/SKILL.md:1:1 warning front-matter [skill:open] : SKILL.md has no front matter; begin it with ---, name and description, and end it with ---",
      "skills/plain/SKILL.md:1:1 warning front-matter [skill:plain] : SKILL.md has no front matter; begin it with ---, name and description, and end it with ---",
      "skills/renamed/SKILL.md:2:7 warning name-differs [skill:renamed] name: differs from the folder's name "renamed", which engines use",
      "skills/renamed/SKILL.md:3:14 warning too-long [skill:renamed] description: is longer than 1024 characters; engines truncate it",
      "skills/one/SKILL.md:1:1 error duplicate-skill [skill:two] : two skills are called "two"; the other one is in the folder "two"",
      "skills/one/SKILL.md:1:1 error duplicate-skill [skill:one] : two skills are called "two"; the other one is in the folder "two"",
      "skills/two/SKILL.md:1:1 error duplicate-skill [skill:two] : two skills are called "two"; the other one is in the folder "one"",
    ]
  `)
})

test('a skill that is a link out of the package', async () => {
  await using fixture = await createFixture({
    'package.agent.json': MANIFEST,
    'skills/x.txt': '',
  })
  await symlink('/etc', fixture.getPath('skills/a'))
  const { skills, findings: found } = await loadPackage(fixture.path)
  expect([skills, found.map(({ code, part }) => [code, part])]).toEqual([
    [],
    [['not-a-folder', { kind: 'skill', name: 'a' }]],
  ])
})

test('agents and commands', async () => {
  expect(
    await findings({
      'agents/empty/x.txt': '',
      'agents/lost/agent.yaml': 'name: lost\ndescription: x\nsystem_prompt: gone.md\n',
      'agents/out/agent.yaml': 'name: out\ndescription: x\nsystem_prompt: ../../secret.md\n',
      'agents/typo/agent.yaml': 'name: typo\ndescripton: x\nsystem_prompt: p.md\n',
      'agents/plain.md': 'No front matter',
      'commands/bad.md': '---\nvariables:\n  - name: A B\n    requird: true\n---\n',
    }),
  ).toMatchInlineSnapshot(`
    [
      "commands/bad.md:3:11 error invalid-value [command:bad] variables.0.name: may contain only a-z, 0-9, _ and -",
      "commands/bad.md:4:5 error unknown-field [command:bad] variables.0.requird: unknown field. Did you mean "required"?",
      "agents/empty/agent.yaml:1:1 error file-missing [agent:empty] : the file does not exist",
      "agents/lost/agent.yaml:3:16 error file-missing [agent:lost] system_prompt: gone.md does not exist",
      "agents/out/agent.yaml:3:16 error unsafe-path [agent:out] system_prompt: the path leaves the folder with ".."",
      "agents/plain.md:1:1 error front-matter [agent:plain] : the front matter of the agent has no name and no description, so there is no such agent",
      "agents/typo/agent.yaml:1:1 error missing-field [agent:typo] description: missing; expected a string",
      "agents/typo/agent.yaml:2:1 error unknown-field [agent:typo] descripton: unknown field. Did you mean "description"?",
    ]
  `)
})

test('hooks: a mistake costs only its event', async () => {
  const hook = { hooks: [{ type: 'command', command: 'x' }] }
  const hooks = {
    'pre-tool-use': [
      { ...hook, matcher: 'Write|Edit' },
      { ...hook, matcher: '' },
    ],
    'post-tool-use': [{ ...hook, matcher: '(' }],
    stop: [{ hooks: [{ type: 'command', command: 'x', timeout: 301 }] }, { hooks: [] }],
    notification: [{ hooks: [{ type: 'shell', command: 'x' }, { type: 'command' }, { type: 'prompt', prompt: ' ' }] }],
    PreToolUse: [hook],
    'session-strat': [hook],
    'worktree-create': [hook],
  }
  const files = { 'hooks/hooks.json': JSON.stringify({ version: 1, hooks }) }
  const { hookGroups } = await load(files)
  expect(hookGroups).toEqual([
    { event: 'pre-tool-use', index: 0, matcher: 'Write|Edit', hooks: [{ type: 'command', command: 'x', timeout: 30 }] },
    { event: 'pre-tool-use', index: 1, matcher: null, hooks: [{ type: 'command', command: 'x', timeout: 30 }] },
  ])
  expect(await findings(files)).toMatchInlineSnapshot(`
    [
      "hooks/hooks.json:1:237 error invalid-value [hook:post-tool-use] hooks.post-tool-use.0.matcher: not a regular expression: Invalid regular expression: /(/: Unterminated group",
      "hooks/hooks.json:1:303 error out-of-range [hook:stop] hooks.stop.0.hooks.0.timeout: must be at most 300",
      "hooks/hooks.json:1:319 error out-of-range [hook:stop] hooks.stop.1.hooks: must not be empty",
      "hooks/hooks.json:1:358 error wrong-type [hook:notification] hooks.notification.0.hooks.0.type: expected "command" or "prompt"",
      "hooks/hooks.json:1:381 error missing-field [hook:notification] hooks.notification.0.hooks.1.command: missing; expected a string",
      "hooks/hooks.json:1:426 error invalid-value [hook:notification] hooks.notification.0.hooks.2.prompt: must not be empty",
      "hooks/hooks.json:1:434 error unknown-event [hook:pre-tool-use] hooks.PreToolUse: not a hook event; did you mean "pre-tool-use"?",
      "hooks/hooks.json:1:494 error unknown-event [hook:session-start] hooks.session-strat: not a hook event; did you mean "session-start"?",
      "hooks/hooks.json:1:557 warning unknown-event [hook:worktree-create] hooks.worktree-create: not a hook event; its hooks are ignored",
    ]
  `)
})

test('a hooks.json and a servers.json that cannot be read at all', async () => {
  expect(
    await findings({
      'hooks/hooks.json': '[]',
      'mcp/servers.json': '{"servers": {"a": {}, "b": {"url": 1}}, "server": 1}',
    }),
  ).toMatchInlineSnapshot(`
    [
      "hooks/hooks.json:1:1 error wrong-type [] : expected an object, got a list",
      "mcp/servers.json:1:41 error unknown-field [] server: unknown field. Did you mean "servers"?",
    ]
  `)
})
