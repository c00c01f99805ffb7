import { execFileSync } from 'node:child_process'
import { symlink } from 'node:fs/promises'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { filePart, listPackageFiles } from '../../../../src/session/inputs/package-files.ts'
import { worthNaming } from '../../../../src/session/inputs/stays-out.ts'
import { agentPackage, skillOf } from '../../../support/agent-package.ts'

test('lists what reaches a session, with the part of the package that has it', async () => {
  await using fixture = await createFixture({
    'package.agent.json': '{}',
    'package.agent.lock': '',
    'AGENTS.md': '',
    'README.md': '',
    'skills/pdf/SKILL.md': '',
    'skills/pdf/scripts/extract.py': '',
    'skills/build/SKILL.md': '',
    'skills/tests/SKILL.md': '',
    'commands/sum.md': '',
    'agents/critic/agent.yaml': '',
    'agents/critic/system-prompt.md': '',
    'rules/style/RULE.md': '',
    'hooks/hooks.json': '',
    'hooks/scripts/guard.sh': '',
    'mcp/servers.json': '',
    'mcp/dist/server.js': '',
  })
  const root = fixture.path.replace(/\/$/, '')
  const pkg = agentPackage(root, {
    manifest: { file: `${root}/package.agent.json`, name: 'p', version: '1.0.0', raw: {} },
    skills: [skillOf(root, 'pdf'), skillOf(root, 'build'), skillOf(root, 'tests')],
    commands: [{ name: 'sum', file: `${root}/commands/sum.md`, description: '', body: '', variables: [] }],
    agents: [
      {
        name: 'critic',
        description: '',
        file: `${root}/agents/critic/agent.yaml`,
        promptFile: `${root}/agents/critic/system-prompt.md`,
        prompt: '',
        skills: [],
        tools: [],
      },
    ],
    rules: [{ name: 'style', file: `${root}/rules/style/RULE.md` }],
    hooksFile: `${root}/hooks/hooks.json`,
    mcpFile: `${root}/mcp/servers.json`,
    instructionsFile: `${root}/AGENTS.md`,
  })
  const partOf = filePart(pkg)
  const lines = listPackageFiles(pkg).files.map(({ path }) => {
    const part = partOf(path)
    return `${path} ${part === null ? null : `${part.kind} ${part.name}`}`
  })
  expect(lines).toMatchInlineSnapshot(`
    [
      "AGENTS.md text null",
      "README.md null",
      "agents/critic/agent.yaml agent critic",
      "agents/critic/system-prompt.md agent critic",
      "commands/sum.md other null",
      "hooks/hooks.json other null",
      "hooks/scripts/guard.sh other null",
      "mcp/dist/server.js other null",
      "mcp/servers.json other null",
      "package.agent.json other null",
      "package.agent.lock other null",
      "rules/style/RULE.md rule style",
      "skills/build/SKILL.md skill build",
      "skills/pdf/SKILL.md skill pdf",
      "skills/pdf/scripts/extract.py skill pdf",
      "skills/tests/SKILL.md skill tests",
    ]
  `)
})

test('F13: answers, secrets, tool settings, dependencies and caches stay out', async () => {
  await using fixture = await createFixture({
    'keep.txt': '',
    'evals/cases/a.yaml': '',
    'evals/fixtures/a.txt': '',
    'skills/pdf/SKILL.md': '',
    'skills/pdf/tests/cases/a.yaml': '',
    'skills/pdf/evals/evals.json': '',
    'skills/pdf/trigger-evals/basic.json': '',
    'skills/trigger-queries/pdf.json': '',
    'skills/pdf/__pycache__/a.pyc': '',
    'skills/pdf/.venv/bin/python': '',
    'hooks/tests/cases/a.yaml': '',
    'commands/tests/cases/a.yaml': '',
    '.env': '',
    '.env.local': '',
    'skills/pdf/.env': '',
    '.mcp.json': '',
    '.claude/settings.json': '',
    '.git/config': '',
    '.gitignore': '',
    '.vitest/journal': '',
    '.DS_Store': '',
    'node_modules/a/index.js': '',
    'dist/index.js': '',
  })
  const root = fixture.path.replace(/\/$/, '')
  const pkg = agentPackage(root, { skills: [skillOf(root, 'pdf')] })
  expect(listPackageFiles(pkg).files.map(({ path }) => path)).toEqual(['keep.txt', 'skills/pdf/SKILL.md'])
})

test('a build folder that a hook or MCP server is started from comes along', async () => {
  await using fixture = await createFixture({
    'dist/hook.js': '',
    'dist/lib/a.js': '',
    'build/server.js': '',
    'out/x.js': '',
  })
  const root = fixture.path.replace(/\/$/, '')
  const pkg = agentPackage(root, {
    hookGroups: [
      {
        event: 'stop',
        index: 0,
        matcher: null,
        hooks: [{ type: 'command', command: 'node "${PACKAGE_ROOT}/dist/hook.js" --x', timeout: 30 }],
      },
    ],
    mcpServers: [{ name: 's', config: { command: 'node', args: ['${PACKAGE_ROOT}/build/server.js'] } }],
  })
  expect(listPackageFiles(pkg).files.map(({ path }) => path)).toEqual([
    'build/server.js',
    'dist/hook.js',
    'dist/lib/a.js',
  ])
})

test('F9: a link within the package is what it leads to, every other one is skipped by name', async () => {
  await using fixture = await createFixture({ 'AGENTS.md': 'hi', 'evals/answers.md': '', 'skills/a/SKILL.md': '' })
  const root = fixture.path.replace(/\/$/, '')
  await symlink('AGENTS.md', `${root}/CLAUDE.md`)
  await symlink('/etc/hostname', `${root}/out`)
  await symlink('evals/answers.md', `${root}/hidden`)
  await symlink('loop', `${root}/loop`)
  await symlink('a', `${root}/skills/b`)
  const found = listPackageFiles(agentPackage(root))
  expect(found.files.map(({ path, file }) => [path, file.slice(root.length + 1)])).toEqual([
    ['AGENTS.md', 'AGENTS.md'],
    ['CLAUDE.md', 'AGENTS.md'],
    ['skills/a/SKILL.md', 'skills/a/SKILL.md'],
    ['skills/b/SKILL.md', 'skills/a/SKILL.md'],
  ])
  expect(worthNaming(found.leftOut)).toEqual([
    { path: 'hidden', why: 'is a symbolic link to something that stays out' },
    { path: 'loop', why: 'is a symbolic link that leads nowhere' },
    { path: 'out', why: 'is a symbolic link that leads out' },
  ])
})

test('F13: a report stays out wherever it was written', async () => {
  const report = JSON.stringify({ version: 1, id: 'eval-run-2026-02-22T14-30-00Z', cases: [] }, null, 2)
  await using fixture = await createFixture({
    'package.agent.json': '{}',
    'report.json': report,
    'docs/last.json': report,
    'docs/empty.json': '',
  })
  const { files } = listPackageFiles(agentPackage(fixture.path.replace(/\/$/, '')))
  expect(files.map(({ path }) => path)).toEqual(['docs/empty.json', 'package.agent.json'])
})

test('a skill is copied unchanged wherever it is, but for answers, secrets and dependencies', async () => {
  const skill = {
    'SKILL.md': '',
    'dist/cli.js': '',
    'build/a/b.js': '',
    'out/x': '',
    'target/x': '',
    'coverage/x': '',
    '.cache/x': '',
    '.config.json': '',
    '.templates/page.html': '',
    'assets/.gitignore': '',
    '.env': '',
    '.git/config': '',
    'node_modules/a/index.js': '',
    'evals/evals.json': '',
    'nested/evals/evals.json': '',
    'tests/cases/a.yaml': '',
    'lib/tests/unit.js': '',
  }
  const shipped = [
    '.cache/x',
    '.config.json',
    '.templates/page.html',
    'SKILL.md',
    'assets/.gitignore',
    'build/a/b.js',
    'coverage/x',
    'dist/cli.js',
    'lib/tests/unit.js',
    'out/x',
    'target/x',
  ]
  const below = (folder: string): Record<string, string> => {
    return Object.fromEntries(Object.entries(skill).map(([path, text]) => [`${folder}${path}`, text]))
  }
  for (const folder of ['', 'tools/pdf/', 'skills/pdf/', 'skills/evals/', '.claude/skills/pdf/']) {
    await using fixture = await createFixture(below(folder))
    const root = fixture.path.replace(/\/$/, '')
    const dir = `${root}/${folder}`.replace(/\/$/, '')
    const { files } = listPackageFiles(
      agentPackage(root, {
        skills: [{ ...skillOf(root, 'pdf'), dir, file: `${dir}/SKILL.md` }],
        ...(folder.startsWith('.claude') && { layout: 'project' as const }),
      }),
    )
    expect(files.map(({ path }) => path)).toEqual(shipped.map((path) => `${folder}${path}`))
  }
})

test('of folders of build results what is committed comes along, and the rest is named', async () => {
  await using fixture = await createFixture({
    'dist/a.js': '',
    'dist/local.js': '',
    'lib/build/b.js': '',
    'coverage/index.html': '',
    'node_modules/a/index.js': '',
    '.env': '',
    'skills/pdf/SKILL.md': '',
  })
  const root = fixture.path.replace(/\/$/, '')
  execFileSync('git', ['init', '-q'], { cwd: root })
  execFileSync('git', ['add', '-f', 'dist/a.js', 'lib', 'node_modules'], { cwd: root })
  const { files, leftOut } = listPackageFiles(agentPackage(root, { skills: [skillOf(root, 'pdf')] }))
  expect(files.map(({ path }) => path)).toEqual(['dist/a.js', 'lib/build/b.js', 'skills/pdf/SKILL.md'])
  expect(worthNaming(leftOut)).toEqual([
    { path: 'coverage/', why: 'is a build result that git does not track' },
    { path: 'dist/local.js', why: 'is a build result that git does not track' },
    { path: 'node_modules/', why: 'is a folder of dependencies' },
  ])
})
