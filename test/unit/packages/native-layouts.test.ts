import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createFixture } from 'fs-fixture'
import { describe, expect, test } from 'vitest'
import { skillAtVersion } from '../../../src/formats/before.ts'
import { findSkills } from '../../../src/formats/skill-evals/skill-index.ts'
import { loadSkillPackage } from '../../../src/formats/skill-evals/skill-suites.ts'
import { openTrackedFs } from '../../../src/lib/documents/read-text.ts'
import { loadPackage } from '../../../src/packages/load-package.ts'
import { packageRootOf } from '../../../src/packages/package-root.ts'
import type { AgentPackage } from '../../../src/packages/package.ts'

const PLUGINS = fileURLToPath(new URL('../../fixtures/plugins', import.meta.url))

const SCRIPT_HOOK = (command: string) => ({ hooks: [{ type: 'command', command }] })

describe('plugins', () => {
  test('hooks in the spelling of Claude Code', async () => {
    const pkg = await loadPackage(join(PLUGINS, 'safe-edits'))
    expect(pkg).toMatchObject({ layout: 'plugin', manifest: { name: 'safe-edits', version: '1.2.0' }, findings: [] })
    expect(pkg.hookGroups.map(({ event, matcher, hooks }) => [event, matcher, hooks[0]?.timeout])).toEqual([
      ['session-start', 'startup|resume|clear|compact', 600],
      ['pre-tool-use', 'Edit|Write|MultiEdit|NotebookEdit', 10],
      ['post-tool-use-failure', null, 600],
    ])
    expect(pkg.hookGroups[1]?.hooks[0]).toMatchObject({ fields: { statusMessage: 'Checking the path' } })
  })

  test('commands, agents and skills whose front matter is no YAML', async () => {
    const pkg = await loadPackage(join(PLUGINS, 'review-kit'))
    expect(pkg.commands).toMatchObject([{ name: 'review-kit:review', native: true }])
    expect(pkg.agents).toMatchObject([{ name: 'code-reviewer', native: true, tools: ['Read', 'Grep', 'Glob'] }])
    expect(pkg.agents[0]?.description).toContain('Examples: <example>Context: the user')
    expect(pkg.skills).toMatchObject([{ name: 'review-style' }])
    expect(pkg.findings.map(({ severity, code, part, line }) => [severity, code, part?.name, line])).toEqual([
      ['warning', 'loose-front-matter', 'review-style', 3],
      ['warning', 'loose-front-matter', 'code-reviewer', 3],
    ])
  })

  test('a marketplace describes a plugin that has no manifest', async () => {
    const root = join(PLUGINS, 'toolshed', 'plugins', 'changelog')
    const pkg = await loadPackage(root)
    expect(pkg).toMatchObject({ layout: 'plugin', manifest: { name: 'changelog', version: '2.0.0' }, findings: [] })
    expect(pkg.skills.map(({ name }) => name)).toEqual(['changelog'])
    expect(pkg.hookGroups).toMatchObject([{ event: 'post-tool-use', matcher: 'Write' }])
    expect(packageRootOf(join(root, 'evals/cases/x.yaml'), join(PLUGINS, 'toolshed'))).toBe(root)
  })

  test('a marketplace whose plugins are in the folder of plugins, with MCP servers', async () => {
    const pkg = await loadPackage(join(PLUGINS, 'toolshed', 'plugins', 'notes'))
    expect(pkg.mcpServers.map(({ name, config }) => [name, config['command']])).toEqual([['notes', 'node']])
    expect(pkg.findings).toEqual([])
  })

  test('one that is itself a skill is called by its front matter, whatever its folder is called', async () => {
    await using fixture = await createFixture({ '.git/HEAD': '' })
    const root = fixture.path.replace(/\/$/, '')
    const dir = join(root, 'plugins/p2')
    await cp(join(PLUGINS, 'one-skill'), dir, { recursive: true })
    const pkg = await loadPackage(dir)
    expect(pkg.skills).toMatchObject([{ name: 'tidy-notes', alias: 'p2' }])
    expect(pkg.findings).toEqual([])
    const { skills } = await findSkills(root)
    expect(skills.map(({ name }) => name)).toEqual(['tidy-mail', 'tidy-notes'])
    const tidy = { name: 'tidy-notes', dir, projectRoot: root }
    const beside = await loadSkillPackage({ package: pkg, skill: tidy, isTrigger: true }, openTrackedFs())
    expect(beside.skills.map(({ name }) => name)).toEqual(['tidy-notes'])
    const version = { ref: 'r', commit: null, root: join(root, 'plugins'), now: join(root, 'plugins'), skills: [] }
    expect(skillAtVersion({ ...version, isOwn: true }, tidy)).toEqual({ name: 'tidy-notes', dir })
  })

  test('paths of the manifest', async () => {
    const pkg = await load({
      '.claude-plugin/plugin.json': JSON.stringify({
        name: 'p',
        commands: ['./extra/one.md'],
        skills: ['./more/', './single'],
        agents: './workers',
        hooks: ['./config/hooks.json', { hooks: { Stop: [SCRIPT_HOOK('echo inline')] } }],
        mcpServers: { here: { command: 'node' } },
      }),
      'commands/left-out.md': 'x',
      'extra/one.md': 'x',
      'skills/usual/SKILL.md': skill('usual'),
      'more/added/SKILL.md': skill('added'),
      'single/SKILL.md': skill('single'),
      'workers/deep/one.md': '---\nname: worker\ndescription: d\n---\nGo.',
      'hooks/hooks.json': JSON.stringify({ hooks: { Stop: [SCRIPT_HOOK('echo usual')] } }),
      'config/hooks.json': JSON.stringify({ hooks: { Stop: [SCRIPT_HOOK('echo named')] } }),
    })
    expect(pkg.commands.map(({ name }) => name)).toEqual(['p:one'])
    expect(pkg.skills.map(({ name }) => name)).toEqual(['usual', 'added', 'single'])
    expect(pkg.agents.map(({ name }) => name)).toEqual(['worker'])
    expect(pkg.hookGroups.map(({ event, index, hooks }) => [event, index, hooks[0]])).toMatchObject([
      ['stop', 0, { command: 'echo usual' }],
      ['stop', 1, { command: 'echo named' }],
      ['stop', 2, { command: 'echo inline' }],
    ])
    expect(pkg.mcpServers.map(({ name }) => name)).toEqual(['here'])
  })

  test('mistakes are named where they are', async () => {
    const pkg = await load({
      '.claude-plugin/plugin.json': '{\n  "name": "p",\n  "skills": "../other",\n  "agents": "./gone"\n}\n',
      'hooks/hooks.json': JSON.stringify({
        hooks: { PreTooluse: [SCRIPT_HOOK('a')], Stop: [{ hooks: [{ type: 'command' }] }], Rested: [] },
      }),
    })
    expect(pkg.findings.map(({ severity, code, field, message }) => `${severity} ${code} ${field}: ${message}`))
      .toMatchInlineSnapshot(`
        [
          "error unsafe-path skills: the path leaves the folder with ".."",
          "error file-missing agents: ./gone does not exist",
          "error unknown-event hooks.PreTooluse: not a hook event of Claude Code; did you mean "PreToolUse"?",
          "error missing-field hooks.Stop.0.hooks.0.command: a hook of type command needs it",
          "warning unknown-event hooks.Rested: not a hook event of Claude Code; its hooks are ignored",
        ]
      `)
  })

  test('kinds of hooks that only Claude Code has, and words without a shell', async () => {
    const { hookGroups } = await load({
      '.claude-plugin/plugin.json': '{ "name": "p" }',
      'hooks/hooks.json': JSON.stringify({
        hooks: {
          Stop: [
            {
              hooks: [
                { type: 'http', url: 'http://127.0.0.1/' },
                { type: 'command', command: '${CLAUDE_PLUGIN_ROOT}/run', args: ['a b', '$HOME', '"'] },
              ],
            },
          ],
        },
      }),
    })
    expect(hookGroups[0]?.hooks).toEqual([
      { type: 'native', kind: 'http', timeout: 600, fields: { type: 'http', url: 'http://127.0.0.1/' } },
      { type: 'command', command: String.raw`"${'${CLAUDE_PLUGIN_ROOT}'}/run" "a b" "\$HOME" "\""`, timeout: 600 },
    ])
  })
})

describe("a project's own .claude", () => {
  test('skills, commands, agents, hooks and servers', async () => {
    const pkg = await load({
      '.claude/settings.json': JSON.stringify({
        permissions: { allow: ['Bash'] },
        hooks: { PreToolUse: [SCRIPT_HOOK('"$CLAUDE_PROJECT_DIR"/tools/guard/check.sh')] },
      }),
      '.claude/settings.local.json': JSON.stringify({ hooks: { Stop: [SCRIPT_HOOK('personal')] } }),
      '.claude/skills/deploy/SKILL.md': skill('deploy'),
      '.claude/commands/db/migrate.md': 'Migrate.',
      '.claude/agents/tester.md': '---\nname: test-runner\ndescription: d\n---\nTest.',
      '.mcp.json': JSON.stringify({ mcpServers: { tools: { command: 'node', args: ['./mcp/tools.mjs'] } } }),
      'mcp/tools.mjs': '',
      'tools/guard/check.sh': '',
      'src/index.ts': '',
    })
    expect(pkg).toMatchObject({ layout: 'project', manifest: null, findings: [] })
    expect(pkg.skills.map(({ name }) => name)).toEqual(['deploy'])
    expect(pkg.commands.map(({ name }) => name)).toEqual(['db:migrate'])
    expect(pkg.agents.map(({ name }) => name)).toEqual(['test-runner'])
    expect(pkg.hookGroups.map(({ event }) => event)).toEqual(['pre-tool-use'])
    expect(pkg.only).toContain('tools/guard')
    expect(pkg.only).not.toContain('src')
  })

  test('a folder of skills that .claude links to', async () => {
    await using fixture = await createFixture({
      '.git/HEAD': '',
      'skills/one/SKILL.md': skill('one'),
      '.claude/skills/one': ({ symlink }) => symlink('../../skills/one'),
    })
    const pkg = await loadPackage(fixture.path.replace(/\/$/, ''))
    expect(pkg.skills.map(({ name }) => name)).toEqual(['one'])
    expect(pkg.findings).toEqual([])
  })

  test('is the package of what is below it', async () => {
    await using fixture = await createFixture({ '.claude/skills/one/SKILL.md': skill('one'), 'evals/cases/x.yaml': '' })
    const root = fixture.path.replace(/\/$/, '')
    expect(packageRootOf(join(root, '.claude/skills/one/evals/evals.json'), root)).toBe(root)
    expect(packageRootOf(join(root, 'evals/cases/x.yaml'), '/')).toBe(root)
  })
})

function skill(name: string): string {
  return `---\nname: ${name}\ndescription: Does it\n---\nGo.\n`
}

async function load(files: Readonly<Record<string, string>>): Promise<AgentPackage> {
  await using fixture = await createFixture({ '.git/HEAD': '', ...files })
  return loadPackage(fixture.path.replace(/\/$/, ''))
}
