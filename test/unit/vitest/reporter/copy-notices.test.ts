import { execFileSync } from 'node:child_process'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { createCopyNotices, createNoticePrinter } from '../../../../src/vitest/reporter/create-plan.ts'
import { agentPackage, skillOf } from '../../../support/agent-package.ts'

test('what copies leave out is said once, by its reasons', async () => {
  await using fixture = await createFixture({
    'dist/a.js': '',
    'node_modules/a/index.js': '',
    'skills/pdf/SKILL.md': '',
    'apps/web/build/x.js': '',
    'apps/web/skills/pdf/SKILL.md': '',
  })
  const root = fixture.path.replace(/\/$/, '')
  const noticesOf = createCopyNotices({ root, projectCopy: true, scenarios: null })
  const skill = { name: 'pdf', dir: `${root}/skills/pdf`, projectRoot: root, evalsDir: `${root}/skills/pdf/evals` }
  const suite = { packageRoot: root, skill }
  const pkg = agentPackage(root, { skills: [skillOf(root, 'pdf')] })
  const query = { kind: 'trigger', trigger: { shouldTrigger: true, accept: [] } } as never
  const all = [
    ...(await noticesOf({ suite, selected: [], package: pkg })),
    ...(await noticesOf({ suite, selected: [query], package: pkg })),
    ...(await noticesOf({ suite, selected: [{ kind: 'task' as const }], package: pkg })),
    ...(await noticesOf({ suite, selected: [{ kind: 'task' as const }], package: pkg })),
  ]
  const printed: string[] = []
  createNoticePrinter((line) => printed.push(line))({ reports: [{ notices: all }] as never })
  expect(printed).toEqual([
    'agent-evals: Copies of the package leave out 3 files and folders: apps/web/build/ and 1 more (build result that git does not track), node_modules/ (folder of dependencies).',
    'agent-evals: Copies of the project leave out 3 files and folders: apps/web/build/ and 1 more (build result that git does not track), node_modules/ (folder of dependencies).',
  ])
})

test('what every project has is in the report alone', async () => {
  await using fixture = await createFixture({ 'node_modules/a/index.js': '', '.idea/x': '', 'a.txt': '' })
  const root = fixture.path.replace(/\/$/, '')
  const noticesOf = createCopyNotices({ root, projectCopy: true, scenarios: null })
  const notices = await noticesOf({
    suite: { packageRoot: root },
    selected: [{ kind: 'task' as const }],
    package: agentPackage(root),
  })
  expect(notices).toEqual([
    {
      code: 'usually-left-out',
      text: 'Copies of the package leave out 2 files and folders: .idea/ (hidden), node_modules/ (folder of dependencies).',
    },
  ])
})

test('run folders are named nowhere, though git lists what ignores itself entry by entry', async () => {
  await using fixture = await createFixture({
    '.gitignore': 'node_modules\n',
    'node_modules/a/index.js': '',
    '.vitest/agent-evals/.gitignore': '*\n',
    '.vitest/agent-evals/run/run.json': '',
    'skills/pdf/SKILL.md': '',
    'skills/pdf/.vitest/agent-evals/.gitignore': '*\n',
    'skills/pdf/.vitest/agent-evals/run/run.json': '',
  })
  const root = fixture.path.replace(/\/$/, '')
  execFileSync('git', ['init', '-q'], { cwd: root })
  const noticesOf = createCopyNotices({ root, projectCopy: true, scenarios: null })
  const skill = { name: 'pdf', dir: `${root}/skills/pdf`, projectRoot: root, evalsDir: `${root}/skills/pdf/evals` }
  const pkg = agentPackage(root, { skills: [skillOf(root, 'pdf')] })
  const notices = await noticesOf({
    suite: { packageRoot: root, skill },
    selected: [{ kind: 'task' as const }],
    package: pkg,
  })
  expect(notices.map(({ code }) => code)).toEqual(['usually-left-out', 'usually-left-out'])
  expect(notices.map(({ text }) => text).join(' ')).not.toContain('.vitest')
})
