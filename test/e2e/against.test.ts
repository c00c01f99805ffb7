// @module-tag claude-code
// @module-tag slow
import { execFileSync } from 'node:child_process'
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FileTree } from 'fs-fixture'
import { describe, expect, test } from 'vitest'
import { claudeExecutable } from '../support/engines.ts'
import { repositoryVitest } from '../support/majors.ts'
import { createProject, type TestProject } from '../support/project.ts'
import { config, verdicts } from '../support/eval-project.ts'
import { bash, caseOf, doing, runEvals, skill, transcriptOf, use } from '../support/skill-project.ts'

const major = repositoryVitest()

function git(root: string, ...words: readonly string[]): string {
  const identity = ['user.name=A', 'user.email=a@example.com', 'protocol.file.allow=always', 'commit.gpgsign=false']
  return execFileSync('git', [...identity.flatMap((one) => ['-c', one]), ...words], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' },
  })
}

function commit(root: string, message: string): void {
  git(root, 'add', '--all')
  git(root, 'commit', '--quiet', '--message', message)
}

/** What the agent is told about tone, which it copies into a file. */
const copies = bash('cat .claude/skills/*/SKILL.md > seen.txt')
const EVALS = [
  { id: 'tone', prompt: 'Write notes.', expectations: ['The file seen.txt contains "kind tone"'] },
  { id: 'title', prompt: 'Write a title.', expectations: ['The file seen.txt contains "Has a title"'] },
]
const BODY = 'Has a title.\n\nUse a kind tone.\n\nEnd with the names of all who helped.'

const FILES: FileTree = {
  'vitest.config.ts': config("{ sandbox: 'prefer' }"),
  '.gitignore': 'node_modules\n.vitest\nevals/reports\n',
  'skills/old-notes/SKILL.md': skill('old-notes', 'Writes release notes.', BODY),
  'skills/old-notes/evals/evals.json': JSON.stringify({ evals: [...EVALS, { ...EVALS[0], id: 'gone' }] }),
  'evals/scenarios/tone.yaml': doing([copies]),
  'evals/scenarios/title.yaml': doing([copies]),
  'evals/scenarios/q.yaml': doing([use('notes')]),
}

/** A repository whose last commit, or what is not committed yet, made a skill worse, renamed it and deleted a case. */
async function repository(): Promise<TestProject> {
  const project = await createProject(major, FILES)
  const { root } = project
  const library = join(root, '..', `library-${process.pid}`)
  git(root, 'init', '--quiet', '--initial-branch=main')
  execFileSync('mkdir', ['-p', library])
  git(library, 'init', '--quiet', '--initial-branch=main')
  writeFileSync(join(library, 'README.md'), 'a library\n')
  commit(library, 'Begin')
  git(root, 'submodule', '--quiet', 'add', library, 'vendor/library')
  commit(root, 'Write notes')
  git(root, 'mv', 'skills/old-notes', 'skills/notes')
  writeFileSync(join(root, 'skills/notes/SKILL.md'), skill('notes', 'Writes notes of a release.', BODY))
  writeFileSync(join(root, 'skills/notes/evals/evals.json'), JSON.stringify({ evals: EVALS }))
  writeFileSync(
    join(root, 'skills/notes/evals/triggers.json'),
    JSON.stringify([{ id: 'q', query: 'q', should_trigger: true }]),
  )
  commit(root, 'Rename the skill and delete a case')
  writeFileSync(
    join(root, 'skills/notes/SKILL.md'),
    skill('notes', 'Writes notes of a release.', BODY.replace('kind tone', 'harsh tone')),
  )
  rmSync(library, { recursive: true })
  return project
}

describe.skipIf(claudeExecutable() === null)('run --against', () => {
  test('compares with the version of a commit, and leaves the checkout as it is', async () => {
    await using project = await repository()
    const { root } = project
    const before = git(root, 'status', '--porcelain')
    expect(before).toContain(' M skills/notes/SKILL.md')
    const { all, report } = await runEvals(project, ['--reporter=verbose'], { AGENT_EVALS_AGAINST: 'HEAD~1' })
    expect(verdicts(report), all).toEqual([
      'tone FAIL',
      'tone (before) PASS',
      'title PASS',
      'title (before) PASS',
      'q PASS',
      'q (before) PASS',
    ])
    expect(git(root, 'status', '--porcelain')).toBe(before)
    const seen = await transcriptOf(project, caseOf(report, 'tone (before)'))
    expect(seen).toContain('old-notes')
    expect(readdirSync(join(root, '.vitest/agent-evals')).filter((name) => name.includes('before'))).toEqual([])
    expect(readFileSync(join(root, 'skills/notes/SKILL.md'), 'utf8')).toContain('harsh tone')
  })
})
