// @module-tag no-engine
import { describe, expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { CONFIG, greeting } from '../support/eval-project.ts'
import { skill } from '../support/skill-project.ts'

const major = repositoryVitest()

describe('a root that is not the working directory', () => {
  test('has the cases of every format, and the free tests', { tags: ['slow'] }, async () => {
    await using project = await createProject(major, {
      'kit/vitest.config.ts': CONFIG,
      'kit/evals/cases/greets.yaml': greeting('greets'),
      'kit/skills/notes/SKILL.md': skill('notes', 'Writes notes.'),
      'kit/skills/notes/evals/evals.json': JSON.stringify({
        evals: [{ id: 'writes', prompt: 'Write.', expectations: ['It is done.'] }],
      }),
      'kit/skills/notes/evals/triggers.json': JSON.stringify([{ query: 'Note this.', should_trigger: true }]),
      'kit/skills/notes/tests/test-config.json': JSON.stringify({ version: 1 }),
      'kit/skills/notes/tests/cases/is-there.yaml':
        'name: is-there\ninput:\n  command: echo hi\nexpected:\n  exit-code: 0\n',
    })
    for (const args of [['--root', 'kit'], ['--root=kit'], ['--root', `${project.root}/kit`]]) {
      const { all } = await project.run(['list', ...args, '--project', 'evals', '--project', 'assert'])
      // Which project Vitest lists first is its own affair.
      const listed = all.split('\n').filter((line) => line.startsWith('['))
      expect(listed.toSorted(), all).toEqual([
        '[assert] skills/notes/tests/cases/is-there.yaml > is-there',
        '[evals] evals/cases/greets.yaml > greets',
        '[evals] skills/notes/evals/evals.json > writes',
        '[evals] skills/notes/evals/triggers.json > Note this.',
      ])
    }
  })
})
