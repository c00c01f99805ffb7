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
import { commit, git, initialize } from '../support/git.ts'
import { bash, caseOf, doing, runEvals, skill, transcriptOf, use } from '../support/skill-project.ts'

const major = repositoryVitest()

/** What the agent is told about tone, which it copies into a file. */
const copies = bash('cat .claude/skills/*/SKILL.md | tee seen.txt')
const EVALS = [
  { id: 'tone', prompt: 'Write notes.', expectations: [{ 'file-contains': { path: 'seen.txt', text: 'kind tone' } }] },
  {
    id: 'title',
    prompt: 'Write a title.',
    expectations: [{ 'file-contains': { path: 'seen.txt', text: 'Has a title' } }],
  },
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
  writeFileSync(join(library, 'README.md'), 'a library\n')
  initialize(library)
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
    const env = { AGENT_EVALS_AGAINST: 'HEAD~1', AGENT_EVALS_GATE: '1' }
    const { exitCode, all, report } = await runEvals(project, ['--reporter=verbose'], env)
    expect(exitCode, all).toBe(1)
    expect(verdicts(report), all).toEqual([
      'title PASS',
      'title (variant) PASS',
      'tone FAIL',
      'tone (variant) PASS',
      'q PASS',
      // The scripted model asks for the skill by its new name.
      'q (variant) FAIL',
    ])
    expect(report.summary).toMatchObject({ total: 3, passed: 2, failed: 1 })
    expect(git(root, 'status', '--porcelain')).toBe(before)
    const transcript = await transcriptOf(project, caseOf(report, 'tone (variant)'))
    expect(transcript).toContain('old-notes')
    expect(transcript).toContain('kind tone')
    for (const run of readdirSync(join(root, '.vitest/agent-evals')).filter((name) => name.startsWith('20')))
      expect(readdirSync(join(root, '.vitest/agent-evals', run))).not.toContain('before')

    const { against } = report
    expect(against?.commit).toBe(git(root, 'rev-parse', 'HEAD~1').trim())
    expect(against?.edits).toEqual(
      expect.arrayContaining([
        { role: 'package', path: 'skills/notes/SKILL.md', change: 'added' },
        { role: 'package', path: 'skills/old-notes/SKILL.md', change: 'removed' },
      ]),
    )
    expect(against?.texts.map(({ part, seen }) => [part, seen])).toEqual([
      ['name of the skill notes', true],
      ['description of the skill notes', true],
      ['body of the skill notes', true],
    ])
    expect(against?.texts[1]).toMatchObject({ before: 'Writes release notes.', after: 'Writes notes of a release.' })
    const { result } = against ?? {}
    expect(result?.verdict).toBe('incomplete')
    expect(
      result?.cases.map(({ name, status, change, before: was, after: is }) => [
        name,
        status,
        change,
        was?.outcome,
        is?.outcome,
      ]),
    ).toEqual([
      ['title', 'compared', 0, 'passed', 'passed'],
      ['tone', 'compared', -1, 'passed', 'failed'],
      ['q', 'compared', 1, 'failed', 'passed'],
      ['gone', 'missing', null, undefined, undefined],
    ])
    expect(all.indexOf('This gate cannot fail')).toBeLessThan(all.indexOf('✓'))
    expect(all).toContain('Gate undecided: 1 case could not be tested.')
    expect(all).toContain('it was deleted since')
    expect(readFileSync(join(root, 'skills/notes/SKILL.md'), 'utf8')).toContain('harsh tone')
  })
  test('compares tests in TypeScript, and a test that failed before fails no run', async () => {
    await using project = await createProject(major, {
      'vitest.config.ts': config("{ sandbox: 'prefer' }"),
      '.gitignore': 'node_modules\n.vitest\nevals/reports\n',
      'skills/notes/SKILL.md': skill('notes', 'Writes notes.', 'Use a harsh tone.'),
      'tone.eval.ts': [
        "import { expect, test } from 'vitest-agent-evals/test'",
        "test('tone', async ({ agent }) => {",
        "  const run = await agent.run('Write notes.')",
        "  expect(run.files.created.map(({ path }) => path)).toContain('kind.txt')",
        '})',
      ].join('\n'),
      'evals/scenarios/tone.yaml': doing([bash('if grep kind .claude/skills/*/SKILL.md; then touch kind.txt; fi')]),
    })
    const { root } = project
    initialize(root)
    writeFileSync(join(root, 'skills/notes/SKILL.md'), skill('notes', 'Writes notes.', 'Use a kind tone.'))
    const { exitCode, all, report } = await runEvals(project, ['--reporter=verbose'], { AGENT_EVALS_AGAINST: 'HEAD' })
    expect(verdicts(report), all).toEqual(['tone PASS', 'tone (variant) FAIL'])
    expect(exitCode, all).toBe(0)
    expect(report.against?.result.cases).toMatchObject([{ name: 'tone', status: 'compared', change: 1 }])
  })
})
