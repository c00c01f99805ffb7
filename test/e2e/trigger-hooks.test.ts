// @module-tag claude-code
// @module-tag slow
// @module-tag long
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileTree } from 'fs-fixture'
import { expect, test } from 'vitest'
import type { Report } from '../../src/report/report.ts'
import { countSessions } from '../support/counted-sessions.ts'
import { config, verdicts } from '../support/eval-project.ts'
import { repositoryVitest } from '../support/majors.ts'
import { describeEvals } from '../support/package-run.ts'
import { createProject, type TestProject } from '../support/project.ts'
import { call, calls, startScriptedModel, words as says } from '../support/scripted-model.ts'
import { caseOf, doing, liveOnce, runEvals, SKILLS, transcriptOf, use } from '../support/skill-project.ts'

const QUERIES = ['fires', 'talks', 'sings']

function hooksFile(hooks: Readonly<Record<string, string | readonly [matcher: string, command: string]>>): string {
  const groups = Object.entries(hooks).map(([event, hook]) => {
    const [matcher, command] = typeof hook === 'string' ? ['', hook] : hook
    return [event, [{ matcher, hooks: [{ type: 'command', command }] }]]
  })
  return JSON.stringify({ hooks: Object.fromEntries(groups) as object })
}

/** A plugin of two skills whose hooks are these; one of its queries uses the skill. */
function plugin(hooks: Parameters<typeof hooksFile>[0], more: FileTree = {}): FileTree {
  return {
    ...SKILLS,
    'vitest.config.ts': config("{ sandbox: 'prefer', source: process.env['CASES_FROM'] }"),
    '.claude-plugin/plugin.json': '{ "name": "sample", "version": "1.2.3" }',
    'hooks/hooks.json': hooksFile(hooks),
    'hooks/introduce.sh': 'echo "You have skills: use the skill notes for every note."\n',
    'skills/notes/evals/triggers.json': JSON.stringify(
      QUERIES.map((id) => ({ id, query: `Please do: ${id}`, should_trigger: id === 'fires' })),
    ),
    'evals/scenarios/fires.yaml': doing([use('notes')]),
    'evals/scenarios/talks.yaml': doing([]),
    'evals/scenarios/sings.yaml': doing([]),
    ...more,
  }
}

const INTRODUCE = 'sh "${CLAUDE_PLUGIN_ROOT}/hooks/introduce.sh"'

async function rerun(project: TestProject, env: NodeJS.ProcessEnv = {}): Promise<{ report: Report; all: string }> {
  await rm(join(project.root, 'evals/reports'), { recursive: true, force: true })
  return runEvals(project, [], { AGENT_EVALS_CACHE: '0', ...env })
}

const decisionsOf = ({ cases }: Report): readonly unknown[] => [
  ...new Set(cases.flatMap(({ runs }) => runs.map((run) => `${run.decided_by}: ${run.decided_because}`))),
]

describeEvals('trigger queries with hooks', () => {
  test('share one template of two starts where a hook of the start says the same each time', async () => {
    const guard = ['Write|Bash', 'echo no >&2; exit 2'] as const
    await using project = await createProject(
      repositoryVitest(),
      plugin({ SessionStart: INTRODUCE, PreToolUse: guard, Notification: 'true' }),
    )
    await using sessions = await countSessions('claude')
    const { report, all } = await rerun(project, { PATH: sessions.path })
    expect(verdicts(report).toSorted(), all).toEqual(QUERIES.map((id) => `Please do: ${id} PASS`).toSorted())
    expect(decisionsOf(report), all).toEqual(['probe: null'])
    expect(sessions.takeStarts()).toBe(2)
    expect(await transcriptOf(project, caseOf(report, 'Please do: fires'))).toContain(
      '"told":[{"what":"context","text":"You have skills: use the skill notes for every note.","reachedModel":true}]',
    )
  })

  test('are recorded with what hooks said, which drifts when its text changes', async () => {
    await using project = await createProject(repositoryVitest(), plugin({ SessionStart: INTRODUCE }))
    const first = await rerun(project, { CASES_FROM: 'record', AGENT_EVALS_RUNS: '1' })
    expect(decisionsOf(first.report), first.all).toEqual(['probe: null'])
    const replayed = await rerun(project, { CASES_FROM: 'replay', AGENT_EVALS_RUNS: '1' })
    expect(verdicts(replayed.report).toSorted(), replayed.all).toEqual(
      QUERIES.map((id) => `Please do: ${id} PASS`).toSorted(),
    )
    await project.files.writeFile('hooks/introduce.sh', 'echo "There are skills."\n')
    const edited = await rerun(project, { CASES_FROM: 'replay', AGENT_EVALS_RUNS: '1' })
    expect(verdicts(edited.report).toSorted(), edited.all).toEqual(
      QUERIES.map((id) => `Please do: ${id} ERROR drifted`).toSorted(),
    )
    expect(edited.report.cases[0]?.error).toMatch(
      /session-start says, line 1\n {4}recorded: context: You have skills.*\n {4}now: {6}context: There are skills\./,
    )
  })

  test('are full sessions, with the reason, where a hook of the start says something else each time', async () => {
    await using project = await createProject(
      repositoryVitest(),
      plugin({ SessionStart: 'echo "The lucky number is $(od -An -N4 -tu4 /dev/urandom)."' }),
    )
    const { report, all } = await rerun(project, { AGENT_EVALS_RUNS: '1' })
    expect(
      report.cases.map(({ verdict }) => verdict),
      all,
    ).toEqual(['PASS', 'PASS', 'PASS'])
    for (const { runs } of report.cases)
      expect(runs[0]).toMatchObject({
        decided_by: 'full',
        decided_because: expect.stringMatching(/^the first requests of two sessions differ in body\..*lucky number/),
      })
  })

  test('have two starts each where a hook sees the prompt', async () => {
    const rewrite = `case "$(cat)" in *talks*) echo "The ticket of talks is ABC-1." ;; *) echo "The ticket is ABC-2." ;; esac`
    await using project = await createProject(repositoryVitest(), plugin({ UserPromptSubmit: rewrite }))
    await using sessions = await countSessions('claude')
    const { report, all } = await rerun(project, { PATH: sessions.path })
    expect(decisionsOf(report), all).toEqual(['probe: null'])
    expect(sessions.takeStarts()).toBe(QUERIES.length * 2)
    for (const id of QUERIES)
      expect(await transcriptOf(project, caseOf(report, `Please do: ${id}`), 3)).toContain(
        id === 'talks' ? '"text":"The ticket of talks is ABC-1.","reachedModel":true' : 'The ticket is ABC-2.',
      )
  })

  test('are errored by a hook that hangs or breaks, and measured without it where hooks is false', async () => {
    await using project = await createProject(repositoryVitest(), plugin({ SessionStart: 'sleep 300' }))
    await using sessions = await countSessions('claude')
    const env = { AGENT_EVALS_RUNS: '1' }
    const hanging = await rerun(project, { AGENT_EVALS_TIMEOUT: '20', PATH: sessions.path })
    expect(verdicts(hanging.report).toSorted(), hanging.all).toEqual(
      QUERIES.map((id) => `Please do: ${id} ERROR timed-out`).toSorted(),
    )
    expect(sessions.takeStarts()).toBe(2)
    expect(hanging.report.cases[0]?.error).toMatch(
      /Still running: the hook of session-start, `sleep 300`, ran for \d+ s and had not ended/,
    )

    const without = await rerun(project, { ...env, AGENT_EVALS_HOOKS: 'false' })
    expect(verdicts(without.report).toSorted(), without.all).toEqual(
      QUERIES.map((id) => `Please do: ${id} PASS`).toSorted(),
    )
    expect(without.report.cases[0]?.notices).toContain(
      'The hooks of the package (session-start) are left out: hooks is false. In a session of its user they run.',
    )

    await project.files.writeFile('hooks/hooks.json', hooksFile({ SessionStart: 'echo lost >&2; exit 1' }))
    const broken = await rerun(project, env)
    expect(verdicts(broken.report).toSorted(), broken.all).toEqual(
      QUERIES.map((id) => `Please do: ${id} ERROR hook-failed-open`).toSorted(),
    )
  })

  test('get the rules and instructions of their package, and none of its commands and agents', async () => {
    const files = {
      'package.agent.json': '{ "name": "sample", "version": "1.2.3" }',
      'AGENTS.md': 'Answer in the manner of the harbour office.\n',
      'rules/style/RULE.md': '---\ndescription: Style.\nalwaysApply: true\n---\n\nWrite dates as day and month.\n',
      'commands/ship.md': '---\ndescription: Ships the release.\n---\n\nShip it.\n',
      'hooks/hooks.json': JSON.stringify({
        version: 1,
        hooks: { 'session-start': [{ hooks: [{ type: 'command', command: 'echo "The harbour is open."' }] }] },
      }),
    }
    const { '.claude-plugin/plugin.json': _, ...rest } = plugin({}, files)
    await using project = await createProject(repositoryVitest(), rest)
    await using model = await startScriptedModel({
      scriptOf: (prompts) => () =>
        prompts.some((text) => text.includes('fires'))
          ? calls(call('use', 'Skill', { skill: 'notes' }))
          : says('It is done.'),
    })
    const { report, all } = await rerun(project, { ...liveOnce(model), CASES_FROM: 'live' })
    expect(
      report.cases.map(({ verdict }) => verdict),
      all,
    ).toEqual(['PASS', 'PASS', 'PASS'])
    for (const body of model.bodies) {
      for (const words of ['manner of the harbour office', 'Write dates as day', 'The harbour is open.'])
        expect(body).toContain(words)
      expect(body).not.toContain('Ships the release')
    }
    expect(await readFile(join(project.root, 'skills/notes/SKILL.md'), 'utf8')).toContain('release notes')
  })
})
