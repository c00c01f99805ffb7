// @module-tag claude-code
// @module-tag slow
// @module-tag long
import { fork } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { countSessions } from '../support/counted-sessions.ts'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { verdicts } from '../support/eval-project.ts'
import { call, calls, startScriptedModel } from '../support/scripted-model.ts'
import {
  bash,
  caseOf,
  doing,
  liveOnce,
  runEvals,
  skill,
  SKILLS,
  transcriptOf,
  TWO_QUERIES,
  use,
} from '../support/skill-project.ts'

const major = repositoryVitest()

const BUILD = `import { renameSync, writeFileSync } from 'node:fs'
const [file, next] = process.argv.slice(2)
for (let n = 1; ; n += 1) {
  writeFileSync(next, '---\\nname: letters\\ndescription: Writes letters, build ' + n + '.\\n---\\n\\nDo it well.\\n')
  renameSync(next, file)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
}
`

describe('the first model turn', () => {
  test('decides the runs of queries, and a session goes on from it where it does not', async () => {
    const queries = { fires: true, talks: false, looks: true, other: false }
    await using project = await createProject(major, {
      ...SKILLS,
      'skills/notes/evals/triggers.json': JSON.stringify(
        Object.entries(queries).map(([id, should]) => ({ id, query: `Please do: ${id}`, should_trigger: should })),
      ),
      'evals/scenarios/fires.yaml': doing([use('notes')]),
      'evals/scenarios/talks.yaml': doing([]),
      'evals/scenarios/looks.yaml': doing([bash('ls .claude/skills'), use('notes')]),
      'evals/scenarios/other.yaml': doing([use('letters')]),
    })
    const { report, all } = await runEvals(project)
    expect(verdicts(report).toSorted(), all).toEqual([
      'Please do: fires PASS',
      'Please do: looks PASS',
      'Please do: other PASS',
      'Please do: talks PASS',
    ])
    const decided = (name: string): unknown =>
      caseOf(report, name).runs.map((run) => [run.decided_by, run.decided_because])
    expect(decided('Please do: fires'), all).toEqual(Array.from({ length: 3 }, () => ['probe', null]))
    expect(decided('Please do: talks')).toEqual(Array.from({ length: 3 }, () => ['probe', null]))
    const looked = ['probe+full', 'the model first called Bash']
    expect(decided('Please do: looks')).toEqual([looked, looked, looked])
    const another = ['probe+full', 'the model first called another skill, letters']
    expect(decided('Please do: other')).toEqual([another, another, another])
    expect(caseOf(report, 'Please do: looks').runs.map(({ requests }) => requests)).toEqual([2, 2, 2])
    expect(await transcriptOf(project, caseOf(report, 'Please do: fires'))).toContain('"skill":"notes"')
  })

  test('is replayed from two starts of the CLI, and makes a changed description stale', async () => {
    await using project = await createProject(major, {
      ...SKILLS,
      'skills/notes/evals/triggers.json': JSON.stringify([
        { id: 'fires', query: 'Please do: fires', should_trigger: true },
        { id: 'talks', query: 'Please do: talks', should_trigger: false },
        { id: 'looks', query: 'Please do: looks', should_trigger: true },
      ]),
      'evals/scenarios/fires.yaml': doing([use('notes')]),
      'evals/scenarios/talks.yaml': doing([]),
      'evals/scenarios/looks.yaml': doing([bash('ls .claude/skills'), use('notes')]),
    })
    await using sessions = await countSessions('claude')
    const run = async (env: NodeJS.ProcessEnv): Promise<readonly string[]> => {
      await rm(join(project.root, 'evals/reports'), { recursive: true, force: true })
      const { report } = await runEvals(project, [], { AGENT_EVALS_RUNS: '1', PATH: sessions.path, ...env })
      const rows = report.cases.map(({ name, verdict, source, runs, error_code: code }) => {
        const [one] = runs
        return [name.slice('Please do: '.length), source, one?.decided_by, verdict, code].join(' ').trim()
      })
      return rows.toSorted()
    }
    expect(await run({ AGENT_EVALS_SOURCE: 'record' })).toEqual([
      'fires record probe PASS',
      'looks record probe+full PASS',
      'talks record probe PASS',
    ])
    sessions.takeStarts()
    expect(await run({ AGENT_EVALS_SOURCE: 'replay' })).toEqual([
      'fires replay probe PASS',
      'looks replay full PASS',
      'talks replay probe PASS',
    ])
    // Two for the first requests of all queries, and one for the session of the query that its first turn does not decide.
    expect(sessions.takeStarts()).toBe(3)
    await writeFile(join(project.root, 'skills/notes/SKILL.md'), skill('notes', 'Writes something else.'))
    expect(await run({ AGENT_EVALS_SOURCE: 'replay' })).toEqual([
      'fires replay probe ERROR stale',
      'looks replay full ERROR stale',
      'talks replay probe ERROR stale',
    ])
  })

  test('is asked anew where its session asks something else, and the report says so', async () => {
    await using project = await createProject(major, {
      ...SKILLS,
      'skills/notes/evals/triggers.json': JSON.stringify([{ query: 'Look first.', should_trigger: true }]),
    })
    const look = calls(call('look', 'Bash', { command: 'ls', description: 'look' }))
    await using model = await startScriptedModel({
      scriptOf: () => (turn, attempt) => {
        if (turn > 0) return calls(call('use', 'Skill', { skill: 'notes' }))
        // The session is staged after the probe: its list of skills has another text then.
        if (attempt === 0)
          writeFileSync(join(project.root, 'skills/letters/SKILL.md'), skill('letters', 'Writes postcards.'))
        return look
      },
    })
    const { report, all } = await runEvals(project, [], liveOnce(model))
    const entry = caseOf(report, 'Look first.')
    expect(entry.trigger, all).toMatchObject({ completed: 1, fired: 1 })
    expect(entry.runs.map((run) => run.decided_by)).toEqual(['full'])
    expect(entry.runs[0]?.decided_because).toMatch(
      /^the model first called Bash; and the first request of its session differs from the probe in body\.messages.*Writes letters.*Writes postcards.*, so the model was asked again$/,
    )
    expect(model.bodies.filter((body) => !body.includes('"tool_result"'))).toHaveLength(2)
  })

  test('decides nothing where two starts differ, and names the place', async () => {
    await using project = await createProject(major, TWO_QUERIES)
    // As a build in watch mode would: each start finds another text.
    const file = join(project.root, 'skills/letters/SKILL.md')
    await project.files.writeFile('build.mjs', BUILD)
    const build = fork(join(project.root, 'build.mjs'), [file, join(project.root, 'next.md')])
    try {
      const { report, all } = await runEvals(project, [], { AGENT_EVALS_RUNS: '1' })
      expect(verdicts(report).toSorted(), all).toEqual(['Please do: fires PASS', 'Please do: talks PASS'])
      const place = /^the first requests of two sessions differ in body\.messages\.\d+\.content.*"[^"]*build \d+.*$/
      for (const { runs, notices } of report.cases) {
        expect(runs.map((run) => [run.decided_by, run.decided_because])).toEqual([
          ['full', expect.stringMatching(place)],
        ])
        expect(notices.join('\n')).toMatch(
          /^Its runs are full sessions: the first requests of two sessions differ in body/m,
        )
      }
      expect(all).toMatch(
        /Decided {2}2 query runs by a full session\n +[12] full: the first requests of two sessions differ in body/,
      )
    } finally {
      build.kill()
    }
  })
})
