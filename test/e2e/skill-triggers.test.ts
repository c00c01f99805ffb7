// @module-tag claude-code
// @module-tag slow
// @module-tag long
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { caseSlug } from '../../src/case/plan/plan-case.ts'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { REPOSITORY } from '../support/repository.ts'
import { verdicts } from '../support/eval-project.ts'
import { bash, caseOf, doing, runEvals, skill, SKILLS, transcriptOf, use } from '../support/skill-project.ts'

const major = repositoryVitest()

/** A file of queries that should make the agent use `notes`, or should not. */
function queries(list: Readonly<Record<string, boolean>>): string {
  return JSON.stringify(
    Object.entries(list).map(([query, should]) => ({ query, should_trigger: should })),
    null,
    2,
  )
}

describe('a trigger query', () => {
  test('counts the skill whenever it is used and not where it is only listed', async () => {
    await using project = await createProject(major, {
      ...SKILLS,
      'skills/notes/evals/triggers.json': queries({
        'use it late': true,
        'read it': true,
        'only list it': false,
        'use another': true,
        'let a helper use it': true,
      }),
      // Had the run not been ended when the skill was used, it would take longer than any test may.
      'answers/late.yaml': doing([bash('ls -R . .claude; ls skills'), use('notes'), bash('sleep 3000; echo slept')]),
      'answers/read.yaml': doing([
        bash('ls'),
        { name: 'Read', input: { file_path: '${WORKSPACE}/.claude/skills/notes/SKILL.md' } },
      ]),
      'answers/list.yaml': doing([bash('ls .claude/skills/notes; echo .claude/skills/notes/SKILL.md')]),
      'answers/other.yaml': doing([use('letters')]),
      'answers/helper.yaml': doing([
        {
          name: 'Agent',
          input: { description: 'help', prompt: 'Use the skill notes.', subagent_type: 'general-purpose' },
          turns: [{ tools: [use('notes')] }, 'used'],
        },
      ]),
    })
    await nameScenarios(project.root, {
      'use it late': 'late',
      'read it': 'read',
      'only list it': 'list',
      'use another': 'other',
      'let a helper use it': 'helper',
    })
    const { report, all } = await runEvals(project)
    expect(verdicts(report), all).toEqual([
      'use it late PASS',
      'read it PASS',
      'only list it PASS',
      'use another FAIL',
      'let a helper use it PASS',
    ])
    expect(caseOf(report, 'use it late').trigger).toMatchObject({ runs: 3, completed: 3, fired: 3, rate: 1, errors: 0 })
    expect(caseOf(report, 'read it').trigger).toMatchObject({ fired: 3 })
    expect(caseOf(report, 'only list it').trigger).toMatchObject({
      fired: 0,
      completed: 3,
      rate: 0,
      // What a scenario answers measures nothing.
      interval: null,
    })
    expect(caseOf(report, 'let a helper use it').trigger).toMatchObject({ fired: 3, fired_in_sub_agent: 3 })
    const other = caseOf(report, 'use another')
    expect(other.trigger).toMatchObject({ fired: 0, fired_instead: ['letters'] })
    expect(other.error).toBe(
      'expected notes to be used in at least 50% of the runs, but it was in 0 of 3. Used instead: letters (3 runs)',
    )
    expect(all).toContain('Used instead: letters (3 runs)')
    // The page shows what a model did, with its interval.
    const page = await readFile(join(REPOSITORY, 'docs/skill-evals.md'), 'utf8')
    expect(page.replaceAll(/ \([^)]*95% interval[^)]*\)/g, '')).toContain(`\n${other.error}\n`)
    const workspace = await transcriptOf(project, caseOf(report, 'use it late'), 2)
    expect(workspace).toContain('letters')
    expect(workspace).not.toMatch(/triggers\.json|vitest\.config|answers|sleep/)
    expect(workspace).toContain('The run was ended here')
    expect(report.cases.map(({ runs }) => runs.length)).toEqual([3, 3, 3, 3, 3])
    expect(report.triggers).toBeUndefined()
    expect(all).toContain('Triggers  5 queries with scripted answers, which measure no model')
    expect(all).not.toContain('precision')
    const runs = join(project.root, '.vitest/agent-evals')
    const run = (await readdir(runs)).find((name) => name.endsWith(report.id.slice(-6))) ?? ''
    const results = JSON.parse(await readFile(join(runs, run, 'triggers-result.json'), 'utf8')) as unknown
    expect(results).toMatchObject({
      skill_name: 'notes',
      results: [
        { query: 'use it late', should_trigger: true, trigger_rate: 1, triggers: 3, runs: 3, pass: true },
        {},
        {},
        { pass: false },
        {},
      ],
      summary: { total: 5, passed: 4, failed: 1 },
    })
  })

  test('keeps a run that broke out of the rate', async () => {
    await using project = await createProject(major, {
      ...SKILLS,
      'skills/notes/evals/triggers.json': JSON.stringify([
        { id: 'dead', query: 'dead', should_trigger: false },
        { id: 'flaky', query: 'flaky', should_trigger: true },
        { id: 'foreign', query: 'foreign', should_trigger: true },
        { id: 'half', query: 'half', should_trigger: true },
      ]),
      // As a scenario for another engine has it: that says nothing of the skill.
      'evals/scenarios/foreign.yaml': doing([{ name: 'exec_command', input: { cmd: 'ls' } }]),
      'evals/scenarios/half.yaml': doing([{ name: 'exec_command', input: { cmd: 'ls' } }, use('notes')]),
      'evals/scenarios/flaky.yaml': doing([use('notes')]),
      'evals/scenarios/flaky.2.yaml': JSON.stringify({ turns: [{ error: { status: 400, message: 'no' } }] }),
      'evals/scenarios/dead.yaml': JSON.stringify({ turns: [{ error: { status: 400, message: 'no' } }] }),
    })
    const { report, all } = await runEvals(project)
    expect(verdicts(report), all).toEqual([
      'dead ERROR upstream-failed',
      'flaky PASS',
      'foreign ERROR engine-failed',
      'half PASS',
    ])
    expect(caseOf(report, 'foreign').error).toContain('calls the tool "exec_command", which the engine does not have')
    expect(caseOf(report, 'flaky').trigger).toMatchObject({
      runs: 3,
      completed: 2,
      fired: 2,
      rate: 1,
      errors: 1,
      timeouts: 0,
    })
    expect(caseOf(report, 'flaky').notices[0]).toBe('1 of 3 runs could not be completed; it is not in the rate.')
    expect(caseOf(report, 'dead').trigger).toMatchObject({ completed: 0, errors: 3, rate: null, interval: null })
  })

  test('that fires nothing is a rate of 0, and its runs are kept', async () => {
    await using project = await createProject(major, {
      ...SKILLS,
      'skills/notes/evals/triggers.json': queries({ 'one thing': true, another: false }),
      'answers/none.yaml': doing([]),
    })
    await nameScenarios(project.root, { 'one thing': 'none', another: 'none' })
    const { report, all } = await runEvals(project, [], { AGENT_EVALS_RUNS: '2' })
    expect(verdicts(report), all).toEqual(['one thing FAIL', 'another PASS'])
    const folders = report.cases.flatMap(({ runs }) => runs.flatMap(({ folder }) => folder ?? []))
    expect(folders.map((folder) => existsSync(join(project.root, folder, 'transcript.jsonl')))).toEqual([
      true,
      true,
      true,
      true,
    ])
    const written = await readdir(join(project.root, '.vitest/agent-evals'), { recursive: true })
    expect(written.filter((path) => path.endsWith('triggers-result.json'))).toHaveLength(1)
  })

  test('a prompt that begins with the command of a skill uses it', async () => {
    await using project = await createProject(major, {
      ...SKILLS,
      'evals/cases/slash.yaml':
        'name: slash\ntarget: skill:notes\ninput:\n  prompt: /notes for 1.2\nexpected:\n  contains: [done]\njudge:\n  criteria: It ends.\n',
      'evals/scenarios/slash.yaml': JSON.stringify({
        turns: ['All of it is done.'],
        judge: [[{ verdict: 'pass', reason: 'It does.', quote: 'All of it is done.' }]],
      }),
    })
    const { report, all } = await runEvals(project, [])
    const slash = report.cases.find(({ name }) => name === 'slash')
    expect(slash?.verdict, all).toBe('PASS')
    expect(slash?.notices.filter((notice) => notice.includes('never used'))).toEqual([])
    expect(slash?.runs.map(({ skills_used: used }) => used)).toEqual([['notes']])
  })

  test('whose skill is not offered at all is errored and says so', async () => {
    const none = doing([])
    await using project = await createProject(major, {
      ...SKILLS,
      'skills/shy/SKILL.md': skill('shy', 'Shies away.').replace('---\n\n', 'disable-model-invocation: true\n---\n\n'),
      'skills/shy/evals/triggers.json': JSON.stringify([{ id: 'hidden', query: 'hidden', should_trigger: false }]),
      'skills/notes/evals/triggers.json': JSON.stringify([{ id: 'there', query: 'there', expected_skill: 'letters' }]),
      'evals/scenarios/hidden.yaml': none,
      'evals/scenarios/there.yaml': none,
    })
    const { report, all } = await runEvals(project, [], { AGENT_EVALS_RUNS: '1' })
    expect(verdicts(report), all).toEqual(['there FAIL', 'hidden ERROR skill-not-offered'])
    expect(caseOf(report, 'hidden').error).toContain('its SKILL.md has `disable-model-invocation`')
    expect(caseOf(report, 'hidden').trigger).toMatchObject({ completed: 0, errors: 1, rate: null })
  })

  test('sees the skills of the base overlay and its own files, and the kind decides what runs', async () => {
    await using project = await createProject(major, {
      ...SKILLS,
      'skills/notes/evals/evals.json': JSON.stringify([{ id: 'x', prompt: 'x', expectations: ['x'] }]),
      'skills/notes/evals/triggers.json': JSON.stringify({
        runs_per_query: 1,
        trigger_threshold: 1,
        queries: [
          { id: 'look', q: 'look', expected_skill: 'letters', files: [{ path: 'in/note.txt', content: 'a note' }] },
        ],
      }),
      'skills/notes/evals/setup/.claude/skills/helper/SKILL.md': skill('helper', 'A dependency.'),
      'skills/notes/evals/setup/_bmad/config.yaml': 'a: 1',
      'evals/scenarios/look.yaml': doing([bash('cat in/note.txt; ls -A . .claude/skills'), use('letters')]),
    })
    const { report, all } = await runEvals(project, ['--mode', 'trigger'])
    expect(verdicts(report), all).toEqual(['look PASS'])
    const look = caseOf(report, 'look')
    expect(look.trigger).toMatchObject({ skill: 'letters', runs: 1, threshold: 1 })
    expect(await transcriptOf(project, look)).toContain(
      'a note.:\\n.claude\\nin\\n\\n.claude/skills:\\nhelper\\nletters\\nnotes',
    )
  })
})

/** Copies answers to where the scenarios of these queries are looked for. */
async function nameScenarios(root: string, names: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(join(root, 'evals/scenarios'), { recursive: true })
  for (const [query, name] of Object.entries(names)) {
    const trigger = { skill: null, shouldTrigger: true, runs: null, threshold: null }
    const slug = caseSlug({ id: 't-', prompt: query, trigger })
    await writeFile(
      join(root, 'evals/scenarios', `${slug}.yaml`),
      await readFile(join(root, 'answers', `${name}.yaml`)),
    )
  }
}
