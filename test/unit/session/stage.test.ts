import {
  chmodSync,
  existsSync,
  lstatSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { listPackageFiles } from '../../../src/session/inputs/package-files.ts'
import { createWorkspace, type Workspace } from '../../../src/session/workspace.ts'
import { stageWorkspace, type StageRequest } from '../../../src/session/stage.ts'
import { agentPackage, AT, skillOf, suiteOf } from '../../support/agent-package.ts'

const PACKAGE = {
  'package.agent.json': '{"name":"p","version":"1.0.0","quality":{}}',
  'AGENTS.md': 'rules',
  'skills/pdf/SKILL.md': 'skill',
  'skills/pdf/scripts/extract.py': 'script',
  'skills/pdf/tests/cases/a.yaml': 'answers',
  'skills/pdf/notes/a.md': 'notes',
  'hooks/guard.sh': 'guard',
  'evals/cases/a.yaml': 'answers',
  'evals/fixtures/a.txt': 'fixture',
  'evals/fixtures/tree/deep/b.txt': 'b',
}

const NOTHING: StageRequest['installation'] = {
  files: [],
  copies: [],
  configFiles: [],
  hookPlan: { packageRoot: '', hooks: [] },
}

interface Setup {
  readonly tree?: Record<string, string>
  readonly prepare?: (root: string) => void
  readonly installation?: (root: string) => Partial<StageRequest['installation']>
  readonly files?: readonly (readonly [from: string, to: string])[]
  readonly workspaceFiles?: readonly (readonly [to: string, from: string | null, content?: string])[]
}

interface Staging {
  readonly root: string
  readonly workspace: Workspace
  readonly stage: () => ReturnType<typeof stageWorkspace>
}

async function withStaging(setup: Setup, run: (staging: Staging) => Promise<void>): Promise<void> {
  await using fixture = await createFixture({ ...PACKAGE, ...setup.tree })
  await using workspace = createWorkspace()
  const root = fixture.path.replace(/\/$/, '')
  setup.prepare?.(root)
  const pkg = agentPackage(root, {
    manifest: { file: `${root}/package.agent.json`, name: 'p', version: '1.0.0', raw: {} },
    skills: [skillOf(root, 'pdf')],
  })
  const request: StageRequest = {
    workspace,
    package: pkg,
    packageFiles: listPackageFiles(pkg),
    installation: { ...NOTHING, ...setup.installation?.(root) },
    suite: suiteOf(root),
    evalCase: {
      kind: 'task',
      files: (setup.files ?? []).map(([from, to]) => ({ from: `${root}/${from}`, to, at: AT })),
      workspaceFiles: (setup.workspaceFiles ?? []).map(([to, from, content = '']) => {
        return { to, from: from === null ? null : `${root}/${from}`, content, at: AT }
      }),
    },
  }
  await run({ root, workspace, stage: () => stageWorkspace(request) })
}

function tree(dir: string): Record<string, string> {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory())
  const paths = files.map((entry) => `${entry.parentPath}/${entry.name}`).toSorted()
  return Object.fromEntries(paths.map((path) => [path.slice(dir.length + 1), readFileSync(path, 'utf8')]))
}

test('puts the package beside the workspace and the engine layout, fixtures and workspace files into it', () =>
  withStaging(
    {
      installation: (root) => ({
        files: [{ to: '.claude/commands/sum.md', content: 'sum' }],
        copies: [{ from: `${root}/skills/pdf`, to: '.claude/skills/pdf', exclude: ['notes'] }],
        configFiles: [{ to: 'settings.json', content: '{}' }],
        hookPlan: { packageRoot: '/package', hooks: [] },
      }),
      files: [
        ['evals/fixtures/a.txt', 'evals/fixtures/a.txt'],
        ['evals/fixtures/tree', 'tree'],
      ],
      workspaceFiles: [
        ['src/copy.txt', 'evals/fixtures/a.txt'],
        ['src/empty.txt', null],
        ['src/text.txt', null, 'text'],
      ],
    },
    async ({ workspace, stage }) => {
      expect(await stage()).toEqual([])
      expect(tree(workspace.workspace)).toEqual({
        '.claude/commands/sum.md': 'sum',
        '.claude/skills/pdf/SKILL.md': 'skill',
        '.claude/skills/pdf/scripts/extract.py': 'script',
        'evals/fixtures/a.txt': 'fixture',
        'package.agent.json': '{\n  "name": "p",\n  "version": "1.0.0"\n}\n',
        'src/copy.txt': 'fixture',
        'src/empty.txt': '',
        'src/text.txt': 'text',
        'tree/deep/b.txt': 'b',
      })
      expect(tree(workspace.package)).toEqual({
        'AGENTS.md': 'rules',
        'hooks/guard.sh': 'guard',
        'package.agent.json': PACKAGE['package.agent.json'],
        'skills/pdf/SKILL.md': 'skill',
        'skills/pdf/notes/a.md': 'notes',
        'skills/pdf/scripts/extract.py': 'script',
      })
      expect(tree(workspace.config)).toEqual({ 'settings.json': '{}' })
      expect(JSON.parse(tree(workspace.hooks)['plan.json'] ?? '')).toEqual({ packageRoot: '/package', hooks: [] })
    },
  ))

test('F5: scripts stay executable, every other bit is dropped', () =>
  withStaging(
    {
      prepare(root) {
        chmodSync(`${root}/hooks/guard.sh`, 0o4711)
        chmodSync(`${root}/skills/pdf/SKILL.md`, 0o666)
        chmodSync(`${root}/evals/fixtures/a.txt`, 0o400)
      },
      files: [['evals/fixtures/a.txt', 'a.txt']],
    },
    async ({ workspace, stage }) => {
      await stage()
      const mode = (path: string): string => (lstatSync(`${workspace.root}/${path}`).mode & 0o7777).toString(8)
      expect(mode('package/hooks/guard.sh')).toBe('755')
      expect(mode('package/skills/pdf/SKILL.md')).toBe('644')
      expect(mode('workspace/a.txt')).toBe('644')
    },
  ))

test('F12: what the agent does to a copy leaves the original as it was', () =>
  withStaging({ files: [['evals/fixtures/a.txt', 'a.txt']] }, async ({ root, workspace, stage }) => {
    await stage()
    writeFileSync(`${workspace.workspace}/a.txt`, 'changed')
    writeFileSync(`${workspace.package}/hooks/guard.sh`, 'changed')
    expect(readFileSync(`${root}/evals/fixtures/a.txt`, 'utf8')).toBe('fixture')
    expect(readFileSync(`${root}/hooks/guard.sh`, 'utf8')).toBe('guard')
  }))

test.each([
  ['../a', 'leaves the folder with ".."'],
  ['/etc/passwd', 'is absolute; write it relative'],
  ['C:/x', 'starts with a drive letter; write it relative'],
  ['C:\\x', 'contains a backslash; write "/" between folders'],
  ['\\\\srv\\x', 'contains a backslash; write "/" between folders'],
  ['a\\..\\x', 'contains a backslash; write "/" between folders'],
  ['a/../b', 'leaves the folder with ".."'],
  ['~/.ssh/id', 'starts with "~"; write it relative'],
])('F1: the path %s is refused', (to, problem) => expectRefused(to, problem))

test.each([
  ['a\0b', 'contains a control character'],
  ['a\nb', 'contains a control character'],
  ['a\u001B[2J', 'contains a control character'],
  ['x'.repeat(300), 'contains a name of more than 255 bytes'],
  ['a ', 'contains a name that starts or ends with a space'],
  ['a./b', 'contains a name that ends with a dot'],
  ['', 'is empty'],
])('F2: the path %j is refused', (to, problem) => expectRefused(to, problem))

function expectRefused(to: string, problem: string): Promise<void> {
  return withStaging({ files: [['evals/fixtures/a.txt', to]] }, async ({ stage }) => {
    await expect(stage()).rejects.toMatchObject({
      code: 'unsafe-path',
      message: `${JSON.stringify(to)} (evals/cases/a.yaml:7:5) ${problem}. Use a plain path relative to the workspace, such as "src/a.txt".`,
    })
  })
}

test.each([
  ['A.txt', 'a.txt'],
  ['caf\u00E9', 'cafe\u0301'],
  ['a.txt', 'a.txt'],
  ['a', 'a/b'],
  ['a/b', 'A'],
])('F7: %j and %j are one file somewhere', (first, second) =>
  withStaging(
    {
      files: [
        ['evals/fixtures/a.txt', first],
        ['evals/fixtures/a.txt', second],
      ],
    },
    async ({ stage }) => {
      const where = '(evals/cases/a.yaml:7:5)'
      await expect(stage()).rejects.toMatchObject({
        code: 'unsafe-path',
        message: `"${second}" ${where} would replace a file of "${first}" ${where}. Give it another path in the workspace.`,
      })
    },
  ),
)

test.each([
  '.claude/skills/pdf/SKILL.md',
  '.Claude/settings.json',
  '.mcp.json',
  '.codex/config.toml',
  '.agents/skills/x/SKILL.md',
])("F8: the engine's own %s is not a place for a fixture", (to) =>
  withStaging({ files: [['evals/fixtures/a.txt', to]] }, async ({ stage }) => {
    await expect(stage()).rejects.toMatchObject({
      code: 'unsafe-path',
      message: expect.stringContaining('would replace a file of the engine.'),
    })
  }),
)

test('F8: a fixture cannot replace what the package installs', () =>
  withStaging(
    {
      installation: () => ({ files: [{ to: 'AGENTS.md', content: 'rules' }] }),
      files: [['evals/fixtures/a.txt', 'agents.MD']],
    },
    async ({ stage }) => {
      await expect(stage()).rejects.toMatchObject({ message: expect.stringContaining('a file of the package.') })
    },
  ))

test('F8: the skill wins over what the engine generated there, and that is said', () =>
  withStaging(
    {
      installation: (root) => ({
        files: [{ to: '.claude/skills/pdf/SKILL.md', content: 'generated' }],
        copies: [{ from: `${root}/skills/pdf`, to: '.claude/skills/pdf', exclude: [] }],
      }),
    },
    async ({ workspace, stage }) => {
      expect(await stage()).toEqual(['skills/pdf replaces .claude/skills/pdf/SKILL.md of the package.'])
      expect(readFileSync(`${workspace.workspace}/.claude/skills/pdf/SKILL.md`, 'utf8')).toBe('skill')
    },
  ))

test('F8: a file where another part has a folder is named as such, and not as a full disk', () =>
  withStaging(
    {
      installation: (root) => ({
        files: [{ to: '.claude', content: 'x' }],
        copies: [{ from: `${root}/skills/pdf`, to: '.claude/skills/pdf', exclude: [] }],
      }),
    },
    async ({ stage }) => {
      await expect(stage()).rejects.toMatchObject({
        code: 'workspace-failed',
        message: expect.stringMatching(/would be a file and a folder at once\. .*Rename one of them\.$/),
      })
    },
  ))

test.each(['.git/hooks/pre-commit', 'sub/.git/config'])('F9: %s is not a place for a fixture', (to) =>
  withStaging({ files: [['evals/fixtures/a.txt', to]] }, async ({ stage }) => {
    await expect(stage()).rejects.toMatchObject({ code: 'unsafe-path' })
  }),
)

test('F9: links within the package are what they lead to, those out of it stay out', () =>
  withStaging(
    {
      tree: { 'shared/terms.md': 'terms', 'skills/pdf/docs/a.md': 'a' },
      prepare(root) {
        symlinkSync('/etc', `${root}/skills/pdf/etc`)
        symlinkSync('pdf', `${root}/skills/alias`)
        symlinkSync('docs', `${root}/skills/pdf/manual`)
        symlinkSync('../../shared', `${root}/skills/pdf/shared`)
        symlinkSync('../../shared/terms.md', `${root}/skills/pdf/terms.md`)
      },
      installation: (root) => ({ copies: [{ from: `${root}/skills/pdf`, to: '.claude/skills/pdf', exclude: [] }] }),
    },
    async ({ workspace, stage }) => {
      await stage()
      expect(existsSync(`${workspace.package}/skills/pdf/etc`)).toBe(false)
      expect(readFileSync(`${workspace.package}/skills/alias/docs/a.md`, 'utf8')).toBe('a')
      expect(readFileSync(`${workspace.package}/skills/pdf/terms.md`, 'utf8')).toBe('terms')
      const installed = `${workspace.workspace}/.claude/skills/pdf`
      expect(readFileSync(`${installed}/manual/a.md`, 'utf8')).toBe('a')
      expect(readFileSync(`${installed}/shared/terms.md`, 'utf8')).toBe('terms')
      expect(lstatSync(`${installed}/terms.md`).isSymbolicLink()).toBe(false)
    },
  ))

test('F9: a skill folder that is a link out of the package is an error of its own', () =>
  withStaging(
    {
      prepare: (root) => symlinkSync('/etc', `${root}/skills/alias`),
      installation: (root) => ({ copies: [{ from: `${root}/skills/alias`, to: '.claude/skills/alias', exclude: [] }] }),
    },
    async ({ stage }) => {
      await expect(stage()).rejects.toMatchObject({
        code: 'unsafe-path',
        message: 'Nothing to install at skills/alias: it is a symbolic link that leads out. Put the files there.',
      })
    },
  ))

test('F10: an archive is copied as it is', () =>
  withStaging(
    { tree: { 'evals/fixtures/bomb.zip': 'PK' }, files: [['evals/fixtures/bomb.zip', 'bomb.zip']] },
    async ({ workspace, stage }) => {
      await stage()
      expect(readdirSync(workspace.workspace).toSorted()).toEqual(['bomb.zip', 'package.agent.json'])
    },
  ))

test.each([
  ['a.txt', 'would replace a file of "a.txt" (evals/cases/a.yaml:7:5).'],
  ['dir', 'would replace a file of "dir/a.txt" (evals/cases/a.yaml:7:5).'],
  ['package.agent.json', 'would replace a file of the package manifest.'],
  ['../a.txt', 'leaves the folder with "..".'],
])('F11: the workspace file %s exists, is a folder or lies outside', (to, problem) =>
  withStaging(
    {
      files: [
        ['evals/fixtures/a.txt', 'a.txt'],
        ['evals/fixtures/a.txt', 'dir/a.txt'],
      ],
      workspaceFiles: [[to, null]],
    },
    async ({ stage }) => {
      await expect(stage()).rejects.toMatchObject({ code: 'unsafe-path', message: expect.stringContaining(problem) })
    },
  ),
)

test('F3: a missing workspace file original names its entry', () =>
  withStaging({ workspaceFiles: [['src/a.txt', 'evals/fixtures/none.txt']] }, async ({ stage }) => {
    await expect(stage()).rejects.toMatchObject({
      code: 'missing-input',
      message: expect.stringContaining('"src/a.txt" (evals/cases/a.yaml:7:5) names '),
    })
  }))

test('F3: a file of the package that goes while it is copied is an error with a code', () =>
  withStaging({}, async ({ root, stage }) => {
    rmSync(`${root}/hooks/guard.sh`)
    await expect(stage()).rejects.toMatchObject({
      code: 'workspace-failed',
      message: expect.stringContaining(`${root}/hooks/guard.sh`),
    })
  }))
