// @module-tag claude-code
// @module-tag slow
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { FileTree } from 'fs-fixture'
import { describe, expect, test } from 'vitest'
import { claudeExecutable } from '../support/engines.ts'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { durableProject } from '../support/durable-project.ts'
import { verdicts } from '../support/eval-project.ts'
import { bash, caseOf, runEvals, skill, SKILLS, transcriptOf, use } from '../support/skill-project.ts'
import type { ToolCall } from '../support/skill-project.ts'

const major = repositoryVitest()
const BASELINE = { AGENT_EVALS_BASELINE: '1' }

/** An answer of the model, and what the judge says of two expectations. */
function answer(calls: readonly ToolCall[], first: 'fail' | 'pass', second: 'fail' | 'pass' = 'pass'): string {
  const judge = [first, second].map((verdict) => ({ verdict, reason: 'So it is.', quote: 'done' }))
  return JSON.stringify({ turns: [...calls.map((call) => ({ tools: [call] })), 'done'], judge: [judge] })
}

/** Two evals of `notes`, of which the second is worth nothing without an expectation that the skill decides. */
const ARMS: FileTree = {
  ...SKILLS,
  'README.md': 'A project.',
  'copies/notes/SKILL.md': skill('notes', 'Writes release notes, a copy.'),
  '.claude-plugin/plugin.json': '{ "name": "notes-plugin" }',
  'skills/notes/evals/evals.json': JSON.stringify({
    evals: [
      { id: 'A', prompt: 'Write notes.', expectations: ['Follows the house style.', 'Has a title.'] },
      { id: 'B', prompt: 'Write more notes.', expectations: ['Names the release.', 'Is long.'] },
    ],
  }),
  'skills/notes/evals/triggers.json': JSON.stringify([{ id: 'q', query: 'q', should_trigger: false }]),
  'evals/scenarios/q.yaml': JSON.stringify({ turns: ['done'] }),
  'evals/scenarios/A.yaml': answer([use('notes')], 'pass'),
  'evals/scenarios/A.without_skill.yaml': answer(
    [bash('ls -A . .. .claude; find . .. -name SKILL.md -not -path "*/proc/*"; true')],
    'fail',
  ),
  'evals/scenarios/B.yaml': answer([use('notes')], 'pass'),
  'evals/scenarios/B.without_skill.yaml': answer([use('notes')], 'pass', 'fail'),
}

describe.skipIf(claudeExecutable() === null)('a case with and without its skill', { tags: ['claude-code'] }, () => {
  test('is two tests, of which one never fails the run', async () => {
    await using project = await createProject(major, ARMS)
    const env = { ...BASELINE, AGENT_EVALS_RUNS: '1' }
    const { exitCode, all, report } = await runEvals(project, ['--reporter=verbose'], env)
    expect(exitCode, all).toBe(0)
    expect(verdicts(report)).toEqual(['A PASS', 'A (without_skill) FAIL', 'B PASS', 'B (without_skill) FAIL', 'q PASS'])
    expect(report.cases.map(({ id, arm }) => [id.replace(/.*#/, ''), arm])).toEqual([
      ['A', null],
      ['A@without_skill', 'without_skill'],
      ['B', null],
      ['B@without_skill', 'without_skill'],
      ['q', null],
    ])
    expect(report.summary).toMatchObject({ total: 3, passed: 3, failed: 0, errored: 0, skipped: 0, pass_rate: 1 })

    // Nothing of the skill is in reach: neither what is installed, nor its sources, a copy, or the plugin's listing.
    const seen = await transcriptOf(project, caseOf(report, 'A (without_skill)'))
    expect(seen).toContain('README.md')
    expect(seen).toContain('.claude/skills/letters/SKILL.md')
    expect(seen.match(/[^\s"]*(?:notes\/SKILL\.md|claude-plugin)/g)).toBeNull()
    expect(caseOf(report, 'B (without_skill)').runs[0]?.skills_used).toEqual([])

    expect(report.lift).toEqual([
      {
        target: 'skill:notes',
        cases: 2,
        with_skill: { passed: 2, completed: 2, rate: 1, interval: null },
        without_skill: { passed: 0, completed: 2, rate: 0, interval: null },
        difference: 1,
        better: 2,
        worse: 0,
        same: 0,
        test: 'exact sign test over cases, two-sided',
        p_value: null,
        too_few: true,
        by_case: [expect.objectContaining({ difference: 1, p_value: 1, too_few: true }), expect.anything()],
      },
    ])
    expect(caseOf(report, 'A').expectations?.map(({ text, without_skill }) => [text, without_skill])).toEqual([
      ['Follows the house style.', { passed: 0, completed: 1 }],
      ['Has a title.', { passed: 1, completed: 1 }],
    ])
    expect(caseOf(report, 'A').notices).toContain(
      '"Has a title." also passes without the skill, so it proves nothing about the skill.',
    )
    expect(all).toContain(
      'Lift  +100 points: 100% (2 of 2) with the skill, 0% (0 of 2) without; 2 of 2 cases better, 0 worse; scripted answers, which measure no model',
    )
    expect(all).toContain('2 of 4 expectations pass without the skill too')
    expect(all).toContain('fails without the skill:')
    // No tick: the case did not pass.
    const arms = all.split('\n').filter((line) => /^ *\S .*\(without_skill\)/.test(line))
    expect(arms.map((line) => line.trim()[0])).toEqual(['↓', '↓'])
  })

  test('is recorded and replayed for each arm and run, and a filter takes either', async () => {
    await using project = await createProject(major, {
      ...ARMS,
      'skills/notes/evals/evals.json': JSON.stringify([
        { id: 'A', prompt: 'Write.', runs: 2, pass_threshold: 0.5, expectations: ['Has a style.', 'Has a title.'] },
      ]),
      'evals/scenarios/A.without_skill.yaml': answer([bash('cat README.md')], 'fail'),
      'evals/scenarios/A.2.yaml': answer([use('notes')], 'fail'),
      'evals/scenarios/A.without_skill.2.yaml': answer([bash('cat title.md')], 'fail', 'fail'),
    })
    const recorded = await runEvals(project, ['-t', '^A'], { ...BASELINE, AGENT_EVALS_SOURCE: 'record' })
    expect(recorded.exitCode, recorded.all).toBe(0)
    expect((await readdir(join(project.root, RECORDINGS))).toSorted()).toEqual([
      'claude-code.1.json',
      'claude-code.2.json',
      'claude-code.without_skill.1.json',
      'claude-code.without_skill.2.json',
    ])

    await rm(join(project.root, 'evals/reports'), { recursive: true })
    await rm(join(project.root, 'evals/scenarios'), { recursive: true })
    const replayed = await runEvals(project, ['-t', '^A'], { ...BASELINE, AGENT_EVALS_SOURCE: 'replay', CI: '1' })
    expect(replayed.exitCode, replayed.all).toBe(0)
    expect(verdicts(replayed.report)).toEqual(['A PASS', 'A (without_skill) FAIL'])
    expect(replayed.report.source).toBe('replay')
    const one = caseOf(replayed.report, 'A')
    expect(one.repeats).toEqual({
      runs: 2,
      completed: 2,
      passed: 1,
      errors: 0,
      rate: 0.5,
      interval: null,
      threshold: 0.5,
      pass_at_k: [],
      pass_all_k: [],
    })
    expect(one.runs.map(({ index, verdict }) => [index, verdict?.outcome, verdict?.expectations?.[0]?.result])).toEqual(
      [
        [1, 'passed', 'PASS'],
        [2, 'failed', 'FAIL'],
      ],
    )
    expect(one.expectations?.map(({ without_skill: without }) => without)).toEqual([
      { passed: 0, completed: 2 },
      { passed: 1, completed: 2 },
    ])
    expect(replayed.report.lift).toMatchObject([
      {
        cases: 1,
        with_skill: { passed: 1, completed: 2 },
        without_skill: { passed: 0, completed: 2 },
        difference: 0.5,
      },
    ])
    expect(replayed.all).toContain('Runs  1 of 2 passed (50%); scripted answers, which measure no model')

    const listed = await project.agentEvals(['list', 'A', '--baseline', '--json'])
    expect(JSON.parse(listed.stdout)).toMatchObject({ totals: { cases: 2, runs: 4 } })

    await rm(join(project.root, 'evals/reports'), { recursive: true })
    const only = await runEvals(project, ['-t', '^A \\(without'], { ...BASELINE, AGENT_EVALS_SOURCE: 'replay' })
    expect(only.exitCode, only.all).toBe(0)
    expect(verdicts(only.report)).toEqual(['A (without_skill) FAIL'])
    expect(only.report.summary).toMatchObject({ total: 0, pass_rate: null })
  })

  test('is errored where the session without the skill came by it all the same', async () => {
    const { 'skills/notes/evals/triggers.json': _, ...arms } = ARMS
    await using project = await createProject(major, {
      ...arms,
      'docs/old.md': 'An old draft.',
      'skills/notes/SKILL.md': skill('notes', 'Writes notes.', 'Begin every note with the version number.'),
      'backup/old-notes.md': skill('notes', 'Writes notes.', 'Begin every note with the version number.'),
      'skills/notes/evals/evals.json': JSON.stringify([
        {
          id: 'A',
          prompt: 'Write notes.',
          files: ['docs/old.md', 'a.md', 'backup/old-notes.md'],
          expectations: ['Has a title.', 'Is long.'],
        },
      ]),
      'skills/notes/evals/a.md': 'A fixture.',
      'evals/scenarios/A.yaml': answer([use('notes')], 'pass'),
      'evals/scenarios/A.without_skill.yaml': answer([bash('cat backup/old-notes.md')], 'pass'),
    })
    const { exitCode, all, report } = await runEvals(project, [], BASELINE)
    expect(verdicts(report), all).toEqual(['A PASS', 'A (without_skill) ERROR baseline-contaminated'])
    expect(caseOf(report, 'A (without_skill)').error).toMatch(/^The skill notes was used in the run without it/)
    // What proves nothing fails nothing: the case itself passed.
    expect(exitCode).toBe(0)
    expect(report.lift?.[0]).toMatchObject({ cases: 0, without_skill: { completed: 0 } })
    const inputs = caseOf(report, 'A').inputs.flatMap((key) => report.inputs[key] ?? [])
    const fixtures = inputs.filter(({ role }) => role === 'fixture')
    expect(fixtures.map(({ path, base }) => `${path}: ${base ?? 'unknown'}`)).toEqual([
      'backup/old-notes.md: project',
      'docs/old.md: project',
      'skills/notes/evals/a.md: evals',
    ])
  })

  test('keeps every run that ended when it is interrupted, and takes it over', async () => {
    const greets = { verdict: 'pass', reason: 'It greets.', quote: 'Hello' }
    const quick = JSON.stringify({ turns: ['Hello'], judge: [[greets]] })
    const slow = JSON.stringify({ turns: [{ tools: [bash('sleep 4321')] }, 'Hello'] })
    const files = {
      'skills/notes/SKILL.md': skill('notes', 'Writes notes.'),
      'evals/cases/a.yaml':
        'name: a\ntarget: skill:notes\ninput:\n  prompt: Say hello.\njudge:\n  criteria: It greets.\n',
      'evals/scenarios/a.yaml': quick,
      'evals/scenarios/a.2.yaml': slow,
      'evals/scenarios/a.without_skill.yaml': quick,
    }
    await using durable = await durableProject(
      major,
      {},
      { files, plugin: { baseline: true, runs: 2, concurrency: 4 } },
    )
    const run = durable.start()
    await durable.working(run, 1)
    while ((await durable.ended()) < 3) await wait(50)
    run.send('SIGINT')
    expect((await run.finished).exitCode).toBe(130)
    const [report] = await durable.reports()
    expect(verdicts(report!)).toEqual(['a ERROR interrupted', 'a (without_skill) PASS'])
    expect(caseOf(report!, 'a').runs.map(({ index, verdict }) => [index, verdict?.outcome])).toEqual([[1, 'passed']])
    expect(caseOf(report!, 'a (without_skill)').repeats).toMatchObject({ passed: 2, completed: 2 })
    expect(report!.lift).toMatchObject([{ cases: 0, difference: null, p_value: null, too_few: true }])

    await durable.project.files.writeFile('evals/scenarios/a.2.yaml', quick)
    const { exitCode, all } = await durable.start([], { AGENT_EVALS_RESUME: '1' }).finished
    expect(exitCode, all).toBe(0)
    const resumed = (await durable.reports()).at(-1)
    expect(verdicts(resumed!)).toEqual(['a PASS', 'a (without_skill) PASS'])
    expect(resumed!.cases.map(({ reused_from: from }) => from !== null)).toEqual([false, true])
    const folders = resumed!.cases.flatMap(({ runs }) => runs.map(({ folder }) => folder?.split('/')[2]))
    expect(new Set(folders).size).toBe(2)
    expect(folders[0]).toBe(folders[2])
  })
})

const RECORDINGS = 'evals/recordings/skills/notes/evals/evals/A'
