// @module-tag claude-code
import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { describeOnMajors } from '../support/describe-on-majors.ts'
import { vitestMajors } from '../support/majors.ts'
import { createProject, type TestProject } from '../support/project.ts'
import { config, greeting, saying } from '../support/eval-project.ts'
import { skill } from '../support/skill-project.ts'

const QUERY = '[{"query": "write the notes", "should_trigger": true}]'
const FILES = {
  'vitest.config.ts': config("{ sandbox: 'prefer', dryRun: true, scenarios: 'scenarios' }"),
  'package.agent.json': '{ "name": "sample", "version": "1.2.3" }\n',
  'skills/notes/SKILL.md': skill('notes', 'Writes release notes.'),
  'skills/notes/evals/triggers.json': QUERY,
  'skills/notes/tests/cases/free.yaml': 'name: free\ninput:\n  command: "true"\n',
  'skills/letters/SKILL.md': skill('letters', 'Writes letters.'),
  'skills/letters/more.md': 'More.\n',
  'evals/fixtures/name.txt': 'World\n',
  'evals/cases/letters.yaml': greeting('letters', 'target: skill:letters\n').replace(
    'hello.',
    'hello.\n  files: [fixtures/name.txt]',
  ),
  'evals/cases/notes.yaml': greeting('notes', 'target: skill:notes\n'),
  ...Object.fromEntries(
    ['letters', 'notes', 'notes/notes/write-the-notes-57300d', 'write-the-notes-57300d'].map((name) => [
      `scenarios/${name}.yaml`,
      saying('Hello'),
    ]),
  ),
  '.gitignore': 'node_modules\n.vitest\n',
}

describeOnMajors(await vitestMajors(), 'changed files select on $label', {}, (major) => {
  test('the cases that saving them would run, by name and by git', async () => {
    await using project = await createProject(major, FILES)
    const select = async (...args: readonly string[]): Promise<readonly string[]> => {
      const { stderr, all } = await project.run([...args, '--project', 'evals', '--passWithNoTests'])
      const names = [...stderr.matchAll(/^\S+:\d+ {2}(.+?) {2}dry run/gm)].map(([, name = '']) => name)
      return names.length === 0 ? [all] : names.toSorted()
    }
    const ofNotes = ['notes', 'write the notes']
    expect(await select('related', '--run', 'skills/notes/SKILL.md')).toEqual(ofNotes)
    expect(await select('related', '--run', 'skills/notes/new/script.sh')).toEqual(ofNotes)
    expect(await select('related', '--run', 'evals/fixtures/name.txt', 'evals/cases/notes.yaml')).toEqual([
      'letters',
      'notes',
    ])

    git(project, 'init', '-q')
    git(project, 'add', '.')
    git(project, '-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-qm', 'first')
    await project.files.rm('skills/letters/more.md')
    expect(await select('run', '--changed')).toEqual(['letters'])
    await project.files.writeFile('skills/notes/extra.md', 'Extra.\n')
    expect(await select('run', '--changed')).toEqual(['letters', ...ofNotes])

    const free = await project.run(['related', '--run', 'skills/notes/scripts/a.sh', '--project', 'assert'])
    expect(free.all).toMatch(/Tests {2}1 passed/)
  })
})

function git(project: TestProject, ...args: readonly string[]): void {
  execFileSync('git', args, { cwd: project.root, env: { PATH: process.env['PATH'], HOME: project.home } })
}
