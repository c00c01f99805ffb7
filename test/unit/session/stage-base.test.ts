import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { stageBase } from '../../../src/session/stage-base.ts'

const OVERLAY = {
  'setup/.claude/skills/quotes/SKILL.md': '---\nname: quotes\n---\n',
  'setup/.claude/skills/quotes/forms/short.md': 'short',
  'setup/.claude/skills/both/SKILL.md': '---\nname: both\n---\n',
  'setup/.agents/skills/both/SKILL.md': '---\nname: both\n---\nits own\n',
  'setup/.claude/skills/copy/SKILL.md': '---\nname: pdf\n---\n',
  'setup/docs/style.md': 'style',
}

test.for([
  ['an engine that looks in another folder', '.agents/skills', ['.agents/skills/quotes']],
  ['an engine that looks where they are', '.claude/skills', []],
  ['an engine without skills', null, []],
] as const)('skills of an overlay for %s', async ([, skillsFolder, more]) => {
  await using fixture = await createFixture(OVERLAY)
  await using workspace = await createFixture({})
  await stageBase({
    workspace: workspace.path,
    skill: { name: 'pdf', dir: fixture.getPath('skills/pdf'), projectRoot: fixture.path, evalsDir: fixture.path },
    evalCase: { kind: 'task', overlays: [fixture.getPath('setup')] },
    projectCopy: false,
    skillsFolder,
    hidden: [],
  })
  const files = readdirSync(workspace.path, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [] : `${entry.parentPath}/${entry.name}`.slice(workspace.path.length).replace(/^\//, ''),
  )
  expect(files.toSorted()).toEqual(
    [
      '.agents/skills/both/SKILL.md',
      '.claude/skills/both/SKILL.md',
      '.claude/skills/quotes/SKILL.md',
      '.claude/skills/quotes/forms/short.md',
      'docs/style.md',
      ...more.flatMap((folder) => [`${folder}/SKILL.md`, `${folder}/forms/short.md`]),
    ].toSorted(),
  )
})

test('the skill under test wins over a file of an overlay at a folder above it', async () => {
  await using fixture = await createFixture({ 'setup/.claude/skills': 'a file', 'setup/docs/style.md': 'style' })
  await using workspace = await createFixture({})
  const warnings = await stageBase({
    workspace: workspace.path,
    skill: { name: 'pdf', dir: fixture.getPath('skills/pdf'), projectRoot: fixture.path, evalsDir: fixture.path },
    evalCase: { kind: 'task', overlays: [fixture.getPath('setup')] },
    projectCopy: false,
    skillsFolder: '.claude/skills',
    hidden: [],
  })
  expect(warnings).toEqual([
    'Copies of the overlay setup leave out 1 file or folder: .claude/skills (where the skill under test has a folder).',
  ])
  expect(readdirSync(workspace.path)).toEqual(['docs'])
})

test('links of a project are what they lead to', async () => {
  await using fixture = await createFixture({
    'docs/guide/a.md': 'a',
    'skills/pdf/SKILL.md': '---\nname: pdf\n---\n',
    'skills/other/SKILL.md': '---\nname: other\n---\n',
    '.claude/settings.json': '{}',
  })
  const root = fixture.path.replace(/\/$/, '')
  symlinkSync('docs/guide', `${root}/manual`)
  symlinkSync('docs/guide/a.md', `${root}/a.md`)
  symlinkSync('../skills', `${root}/.claude/skills`)
  await using workspace = await createFixture({})
  const at = (path: string): string => `${workspace.path.replace(/\/$/, '')}/${path}`
  await stageBase({
    workspace: workspace.path,
    skill: { name: 'pdf', dir: `${root}/skills/pdf`, projectRoot: root, evalsDir: `${root}/skills/pdf/evals` },
    evalCase: { kind: 'task', overlays: [] },
    projectCopy: true,
    skillsFolder: '.claude/skills',
    hidden: [],
  })
  for (const path of ['manual', 'a.md', '.claude/skills']) expect(lstatSync(at(path)).isSymbolicLink()).toBe(false)
  expect(readdirSync(at('.claude/skills'))).toEqual(['other'])
  expect(readFileSync(at('manual/a.md'), 'utf8')).toBe('a')
})

test('nothing is written out of a workspace through the links of several overlays', async () => {
  await using fixture = await createFixture({ 'one/z/a.md': 'a', 'three/z/out/new.md': 'new' })
  await using place = await createFixture({ 'workspace/a.md': 'a', 'outside/a.md': 'a' })
  const root = fixture.path.replace(/\/$/, '')
  const outside = `${place.path.replace(/\/$/, '')}/outside`
  const deep = 'a/b/c/d/e/f/g/h/i/j/k/l'
  mkdirSync(`${root}/one/${deep.slice(0, -2)}`, { recursive: true })
  symlinkSync(`${'../'.repeat(11)}z`, `${root}/one/${deep}`)
  mkdirSync(`${root}/two/${deep}`, { recursive: true })
  mkdirSync(`${root}/two${outside}`, { recursive: true })
  writeFileSync(`${root}/two${outside}/a.md`, 'a')
  symlinkSync(`${'../'.repeat(12)}${outside.slice(1)}`, `${root}/two/${deep}/out`)
  await stageBase({
    workspace: `${place.path}/workspace`,
    skill: { name: 'pdf', dir: `${root}/skills/pdf`, projectRoot: root, evalsDir: root },
    evalCase: { kind: 'task', overlays: ['one', 'two', 'three'].map((name) => `${root}/${name}`) },
    projectCopy: false,
    skillsFolder: null,
    hidden: [],
  })
  expect(readdirSync(outside)).toEqual(['a.md'])
})

test('a folder of tools that is a link in an overlay is one of its own in the workspace', async () => {
  await using fixture = await createFixture({ 'setup/tools/settings.json': '{}', 'setup/tools/skills/a/SKILL.md': 'a' })
  await using workspace = await createFixture({})
  const root = fixture.path.replace(/\/$/, '')
  symlinkSync('tools', `${root}/setup/.claude`)
  await stageBase({
    workspace: workspace.path,
    skill: { name: 'pdf', dir: `${root}/skills/pdf`, projectRoot: root, evalsDir: root },
    evalCase: { kind: 'task', overlays: [`${root}/setup`] },
    projectCopy: false,
    skillsFolder: '.claude/skills',
    hidden: [],
  })
  expect(lstatSync(workspace.getPath('.claude')).isSymbolicLink()).toBe(false)
  expect(readdirSync(workspace.getPath('.claude'))).toEqual(['settings.json', 'skills'])
})

test('answers and secrets of a folder that a suite names stay out, but for those of fixtures', async () => {
  await using fixture = await createFixture({
    'shop/.env': 'SECRET=1',
    'shop/.env.example': 'SECRET=',
    'shop/.git/config': 'token',
    'shop/a.md': 'a',
    'shop/evals/evals.json': '{}',
    'evals/fixtures/small/.env': 'SECRET=made-up',
    'evals/fixtures/small/evals/evals.json': '{}',
  })
  await using workspace = await createFixture({})
  const root = fixture.path.replace(/\/$/, '')
  const stage = (...overlays: readonly string[]): Promise<readonly string[]> =>
    stageBase({
      workspace: workspace.path,
      skill: { name: 'pdf', dir: `${root}/skills/pdf`, projectRoot: root, evalsDir: `${root}/evals` },
      evalCase: { kind: 'task', overlays: overlays.map((name) => `${root}/${name}`) },
      projectCopy: false,
      skillsFolder: null,
      hidden: [],
    })
  expect(await stage('shop')).toEqual([
    'Copies of the overlay shop leave out 2 files and folders: .env (may contain secrets), evals/evals.json (contains the expected answers).',
  ])
  expect(readdirSync(workspace.path)).toEqual(['.env.example', 'a.md'])
  expect(await stage('evals/fixtures/small')).toEqual([])
  expect(readdirSync(workspace.path)).toEqual(['.env', '.env.example', 'a.md', 'evals'])
})

test('what is left out of an overlay is counted in one line', async () => {
  await using fixture = await createFixture({ 'setup/a.md': 'a' })
  await using workspace = await createFixture({})
  const root = fixture.path.replace(/\/$/, '')
  for (let index = 0; index < 500; index += 1) symlinkSync('/etc/passwd', `${root}/setup/l${index}`)
  const warnings = await stageBase({
    workspace: workspace.path,
    skill: { name: 'pdf', dir: `${root}/skills/pdf`, projectRoot: root, evalsDir: root },
    evalCase: { kind: 'task', overlays: [`${root}/setup`] },
    projectCopy: false,
    skillsFolder: null,
    hidden: [],
  })
  expect(warnings).toEqual([
    'Copies of the overlay setup leave out 500 files and folders: l0 and 499 more (symbolic link that leads out).',
  ])
})
