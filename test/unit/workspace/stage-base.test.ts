import { lstatSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from 'node:fs'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { stageBase } from '../../../src/workspace/stage-base.ts'

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
    evalCase: { overlays: [fixture.getPath('setup')] },
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
    evalCase: { overlays: [fixture.getPath('setup')] },
    projectCopy: false,
    skillsFolder: '.claude/skills',
    hidden: [],
  })
  expect(warnings).toEqual([
    'The overlay setup has a file at .claude/skills, where the skill under test has a folder; it was left out.',
  ])
  expect(readdirSync(workspace.path)).toEqual(['docs'])
})

test('links of a project stay links, but below the folders that an engine installs into', async () => {
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
    evalCase: { overlays: [] },
    projectCopy: true,
    skillsFolder: '.claude/skills',
    hidden: [],
  })
  expect([readlinkSync(at('manual')), readlinkSync(at('a.md'))]).toEqual(['docs/guide', 'docs/guide/a.md'])
  expect(lstatSync(at('.claude/skills')).isSymbolicLink()).toBe(false)
  expect(readdirSync(at('.claude/skills'))).toEqual(['other'])
  expect(readFileSync(at('manual/a.md'), 'utf8')).toBe('a')
})
