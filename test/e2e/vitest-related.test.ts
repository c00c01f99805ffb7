// @module-tag claude-code
import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { createProject, type TestProject } from '../support/project.ts'
import { config, greeting, saying } from '../support/eval-project.ts'
import { skill } from '../support/skill-project.ts'

const major = repositoryVitest()

const QUERY = '[{"query": "write the notes", "should_trigger": true}]'
const FILES = {
  'vitest.config.ts': config("{ sandbox: 'prefer', dryRun: true, scenarios: 'scenarios' }"),
  'package.agent.json': '{ "name": "sample", "version": "1.2.3" }\n',
  'skills/notes/SKILL.md': skill('notes', 'Writes release notes.'),
  'skills/notes/evals/triggers.json': QUERY,
  'skills/letters/SKILL.md': skill('letters', 'Writes letters.'),
  'skills/letters/more.md': 'More.\n',
  'skills/papers/SKILL.md': skill('papers', 'Writes papers.'),
  'skills/papers/tests/cases/free.yaml': 'name: free\ninput:\n  command: "true"\n',
  'skills/songs/SKILL.md': skill('songs', 'Writes songs.'),
  'skills/poems/SKILL.md': skill('poems', 'Writes poems.'),
  'skills/poems/tests/cases/free.yaml': 'name: free\ninput:\n  command: "true"\n',
  'evals/fixtures/name.txt': 'World\n',
  'evals/cases/letters.yaml': greeting('letters', 'target: skill:letters\n').replace(
    'hello.',
    'hello.\n  files: [fixtures/name.txt]',
  ),
  ...Object.fromEntries(
    ['notes', 'papers', 'poems', 'songs'].map((name) => [
      `evals/cases/${name}.yaml`,
      greeting(name, `target: skill:${name}\n`),
    ]),
  ),
  ...Object.fromEntries(
    [
      'letters',
      'notes',
      'papers',
      'poems',
      'songs',
      'notes/notes/write-the-notes-57300d',
      'write-the-notes-57300d',
    ].map((name) => [`scenarios/${name}.yaml`, saying('Hello')]),
  ),
  '.gitignore': 'node_modules\n.vitest\n',
}

describe('changed files select', () => {
  test('the cases that saving them would run, by name and by git, and the free tests', async () => {
    await using project = await createProject(major, FILES)
    const select = async (...args: readonly string[]): Promise<readonly string[]> => {
      const { stderr, all } = await project.run([...args, '--project', 'evals', '--passWithNoTests'])
      const names = [...stderr.matchAll(/^\S+:\d+ {2}(.+?) {2}dry run/gm)].map(([, name = '']) => name)
      return names.length === 0 ? [all] : names.toSorted()
    }
    // One file of each kind, each with a case that no other one selects.
    const named = ['skills/notes/SKILL.md', 'skills/papers/new/script.sh', 'evals/fixtures/name.txt']
    expect(await select('related', '--run', ...named, 'evals/cases/songs.yaml')).toEqual([
      'letters',
      'notes',
      'papers',
      'songs',
      'write the notes',
    ])

    git(project, 'init', '-q')
    git(project, 'add', '.')
    git(project, '-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-qm', 'first')
    await project.files.rm('skills/letters/more.md')
    await project.files.writeFile('skills/notes/extra.md', 'Extra.\n')
    expect(await select('run', '--changed')).toEqual(['letters', 'notes', 'write the notes'])

    // Each project adds its own files to those of the other.
    const both = ['--project', 'evals', '--project', 'assert']
    const free = await project.run(['related', '--run', 'skills/papers/scripts/a.sh', ...both])
    expect(free.all).toMatch(/Tests {2}1 passed/)
  })
})

function git(project: TestProject, ...args: readonly string[]): void {
  execFileSync('git', args, { cwd: project.root, env: { PATH: process.env['PATH'], HOME: project.home } })
}
