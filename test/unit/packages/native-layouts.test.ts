import { mkdirSync, symlinkSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createFixture } from 'fs-fixture'
import { describe, expect, test } from 'vitest'
import { findFiles } from '../../../src/formats/discover.ts'
import { skillAtVersion } from '../../../src/formats/before.ts'
import { findSkills } from '../../../src/formats/skill-evals/skill-index.ts'
import { loadSkillPackage } from '../../../src/formats/skill-evals/skill-suites.ts'
import { openTrackedFs } from '../../../src/lib/documents/read-text.ts'
import { loadPackage } from '../../../src/packages/load-package.ts'
import { packageRootOf } from '../../../src/packages/package-root.ts'
import { skillIn, type AgentPackage } from '../../../src/packages/package.ts'
import { listPackageFiles } from '../../../src/session/inputs/package-files.ts'

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

  test.for<[what: string, entry: object, manifest: object | null, refused: string | null]>([
    ['parts beside a manifest', { strict: false, skills: ['./skills'] }, {}, 'plugins.0.skills'],
    ['an empty list of parts', { strict: false, skills: [] }, {}, 'plugins.0.skills'],
    ['hooks beside a manifest', { strict: false, hooks: { Stop: [] } }, {}, 'plugins.0.hooks'],
    ['parts in place of a manifest', { strict: false, skills: ['./skills'] }, null, null],
    ['parts that add to a manifest', { skills: ['./skills'] }, { skills: ['./skills'] }, null],
    ['no parts', { strict: false }, { skills: ['./skills'] }, null],
    ['servers alone', { strict: false, mcpServers: { here: { command: 'node' } } }, {}, null],
    ['hooks as a path', { hooks: './hooks/hooks.json' }, {}, 'plugins.0.hooks'],
  ])('an entry of a marketplace with %s', async ([, entry, manifest, refused]) => {
    const pkg = await load({
      '.claude-plugin/marketplace.json': JSON.stringify({
        name: 'shop',
        owner: { name: 'A' },
        plugins: [{ name: 'p', source: './', ...entry }],
      }),
      ...(manifest === null ? {} : { '.claude-plugin/plugin.json': JSON.stringify({ name: 'p', ...manifest }) }),
      'skills/usual/SKILL.md': skill('usual'),
      'hooks/hooks.json': JSON.stringify({ hooks: { Stop: [SCRIPT_HOOK('true')] } }),
    })
    const errors = pkg.findings.filter(({ severity, part }) => severity === 'error' && part === null)
    expect(errors.map(({ field }) => field)).toEqual(refused === null ? [] : [refused])
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
    expect(pkg).toMatchObject({ layout: 'project', manifest: null })
    expect(pkg.findings.map(({ message }) => message)).toEqual([
      "sessions run without .claude/settings.local.json (one person's)",
    ])
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

  test.each([
    ['.claude', '.agents', '.agents'],
    ['.claude/skills', '../.agents/skills', '.agents'],
    ['.claude/skills/one', '../../.agents/skills/one', '.agents'],
    ['.claude/skills', '../skills', '.'],
  ])('%s may be a link to %s', async (link, target, place) => {
    await using fixture = await createFixture({
      '.git/HEAD': '',
      [`${place}/skills/one/SKILL.md`]: skill('one'),
      [`${place}/skills/one/evals/evals.json`]: '{}',
      '.agents/settings.json': JSON.stringify({ hooks: { PreToolUse: [SCRIPT_HOOK('true')] } }),
      [link === '.claude' ? 'x' : '.claude/agents/tester.md']: '---\nname: t\ndescription: d\n---\nTest.',
    })
    const root = fixture.path.replace(/\/$/, '')
    mkdirSync(dirname(join(root, link)), { recursive: true })
    symlinkSync(target, join(root, link))
    const pkg = await loadPackage(root)
    expect(pkg).toMatchObject({ layout: 'project', findings: [] })
    expect(pkg.skills.map(({ name }) => name)).toEqual(['one'])
    expect(pkg.hookGroups.length).toBe(link === '.claude' ? 1 : 0)
    const evals = join(root, place, 'skills/one/evals/evals.json')
    expect(packageRootOf(evals, root)).toBe(root)
    expect(skillIn(pkg, join(root, place, 'skills/one'))?.name).toBe('one')
    const staged = listPackageFiles(pkg).files.map(({ path }) => path)
    expect(staged).toContain(place === '.' ? 'skills/one/SKILL.md' : '.claude/skills/one/SKILL.md')
    expect(staged.filter((path) => path.includes('evals'))).toEqual([])
  })

  test.each([
    ['out', '/etc', 'is a symbolic link that leads out'],
    ['nowhere', 'gone', 'is a symbolic link that leads nowhere'],
    ['to itself', 'commands', 'is a symbolic link that leads nowhere'],
    ['to its own folder', '../.claude', null],
    ['to the repository', '../.git', 'is a symbolic link to something that stays out'],
  ])('a link %s is an error and is not followed', async (_, target, message) => {
    await using fixture = await createFixture({ '.git/HEAD.md': '', '.claude/settings.json': '{}' })
    const root = fixture.path.replace(/\/$/, '')
    symlinkSync(target, join(root, '.claude/commands'))
    const { commands, findings } = await loadPackage(root)
    expect(commands).toEqual([])
    const errors = findings.map((one) => [one.severity, one.message])
    expect(errors).toEqual([['error', message ?? 'is a symbolic link to a folder that it lies in']])
  })

  test('folders that link to each other have an end', async () => {
    await using fixture = await createFixture({
      '.git/HEAD': '',
      '.claude/skills/one/SKILL.md': skill('one'),
      '.claude/rules/a': ({ symlink }) => symlink('../../others'),
      'others/b': ({ symlink }) => symlink('../.claude/rules'),
    })
    const pkg = await loadPackage(fixture.path.replace(/\/$/, ''))
    expect(pkg.findings.map(({ message }) => message)).toEqual(['is a symbolic link to a folder that it lies in'])
  })

  test('folders that link to each other in many ways are read up to a number of entries', async () => {
    await using fixture = await createFixture({ '.git/HEAD': '', '.claude/settings.json': '{}' })
    const root = fixture.path.replace(/\/$/, '')
    const names = Array.from({ length: 8 }, (_, index) => `f${index}`)
    for (const one of names) {
      mkdirSync(join(root, '.claude/commands', one), { recursive: true })
      for (const other of names)
        if (one !== other) symlinkSync(`../${other}`, join(root, '.claude/commands', one, other))
    }
    const { findings } = await loadPackage(root)
    expect(findings.map(({ message }) => message)).toContain(
      'holds more than 2000 files and folders behind links; only that many are read',
    )
  })

  test('what skill-creator keeps beside a skill is no category, no skill and no suite', async () => {
    await using fixture = await createFixture({
      '.claude/skills/notes/SKILL.md': skill('notes'),
      '.claude/skills/notes-workspace/skill-snapshot/SKILL.md': skill('notes'),
      '.claude/skills/notes-workspace/evals/cases/x.yaml': '',
      '.claude/skills/team-workspace/SKILL.md': skill('team-workspace'),
    })
    const root = fixture.path.replace(/\/$/, '')
    const pkg = await loadPackage(root)
    expect(pkg.findings).toEqual([])
    expect(pkg.skills.map(({ name }) => name)).toEqual(['notes', 'team-workspace'])
    expect(listPackageFiles(pkg).files.filter(({ path }) => path.includes('notes-workspace'))).toEqual([])
    expect((await findFiles(root, ['**/SKILL.md', '**/*.yaml'], [])).length).toBe(2)
  })

  test('a folder is a package only with a skill below skills', async () => {
    await using fixture = await createFixture({
      '.claude-plugin/plugin.json': '{"name": "p"}',
      'evals/skills/letters.json': '{}',
      'group/skills/team/one/SKILL.md': skill('one'),
    })
    const root = fixture.path.replace(/\/$/, '')
    expect(packageRootOf(join(root, 'evals/skills/letters.json'), root)).toBe(root)
    expect(packageRootOf(join(root, 'group/evals/x.json'), root)).toBe(join(root, 'group'))
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
