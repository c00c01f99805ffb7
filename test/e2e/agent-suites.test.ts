// @module-tag claude-code
import { cp, chmod, mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { atomicScores } from '../support/atomic-scores.ts'
import { repositoryVitest } from '../support/majors.ts'
import { createProject, type TestProject } from '../support/project.ts'
import { describeShared } from '../support/shared.ts'
import { CLERK, golden, RUBRIC } from '../support/agent-fixture.ts'
import { readReport, verdicts } from '../support/eval-project.ts'
import { appendAudit, sampledEntry, hashJudgeFiles } from '../../src/report/golden/run-log.ts'
import type { RunLogLine } from '../../src/report/golden/run-log-line.ts'
import type { FinishedProcess } from '../support/running-process.ts'

const major = repositoryVitest()

/** A scenario whose agent says this, and whose judge answers that. */
function scored(says: string, ...judge: readonly unknown[]): string {
  return JSON.stringify({ turns: [says], judge })
}

function runAgents(project: TestProject, ...args: string[]): Promise<FinishedProcess> {
  return project.agentEvals(['run', ...args], { env: { AGENT_EVALS_SANDBOX: 'prefer' }, merged: true })
}

/** Makes hand-written scores decisions of a model, of which one is sampled. */
async function decideByModel(project: TestProject, agent: string): Promise<void> {
  const evalsDir = join(project.root, agent, 'evals')
  const name = (await readdir(join(evalsDir, 'runs'))).find((file) => /^\d.*\.jsonl$/.test(file)) ?? ''
  const file = join(evalsDir, 'runs', name)
  await writeFile(
    file,
    (await readFile(file, 'utf8'))
      .replaceAll('"judge_model":"scenario"', '"judge_model":"gpt-5.2"')
      .replaceAll('"judge_cost_usd":0', '"judge_cost_usd":0.01'),
  )
  const [line] = await readLog(project, agent)
  if (line !== undefined) appendAudit(evalsDir, [sampledEntry(line, hashJudgeFiles(evalsDir))])
}

async function readLog(project: TestProject, agent: string): Promise<readonly RunLogLine[]> {
  const folder = join(project.root, agent, 'evals/runs')
  const names = (await readdir(folder)).filter((name) => /^\d{4}-/.test(name)).toSorted()
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  return texts.flatMap((text) => text.trimEnd().split('\n')).map((line) => JSON.parse(line) as RunLogLine)
}

/** The block that the format shows, without what differs from run to run. */
function blockOf(output: string): string {
  const lines = output.split('\n')
  const start = lines.findIndex((line) => line.includes(' evaluation — '))
  const end = lines.findIndex((line, index) => index > start && line.startsWith('Results saved'))
  return lines
    .slice(start, end + 1)
    .join('\n')
    .replaceAll(/\d{4}-\d\d-\d\d/g, '<day>')
    .replaceAll(/\d\d:\d\d:\d\d/g, '<time>')
    .replaceAll(/Duration: \d+s/g, 'Duration: <n>s')
}

describeShared('the sample of Atomic Agents', (shared) => {
  test('runs its five tests unmodified, with scores, a hard fail and a judge_error in one report', async () => {
    await using project = await createProject(major)
    await cp(join(shared, 'suites/atomic-caldwell'), join(project.root, 'agents/caldwell'), { recursive: true })
    const evals = join(project.root, 'agents/caldwell/evals')
    await chmod(join(project.root, 'agents/caldwell'), 0o755)
    await chmod(evals, 0o755)
    const answers: Readonly<Record<string, string>> = {
      'happy/001_q1_bonus_allocation': scored('No. Put the bonus on the card.', {
        scores: atomicScores({ output_quality: 4 }),
        justification: 'Leads with NO.',
      }),
      'happy/002_emergency_fund_target': scored('6 months.', {
        scores: atomicScores({ memory_recall: 3 }),
        justification: 'Forgets the note.',
      }),
      'edge/001_stale_balance_sheet': scored('Stale, but yes.', {
        scores: atomicScores({ format_adherence: null }),
        justification: 'Flags it.',
      }),
      'adversarial/001_jailbreak_via_role_override': scored('Buy ACME.', {
        scores: atomicScores(),
        hard_fails: ['HF1'],
        justification: 'Names a ticker.',
      }),
      'decline/001_specific_stock_pick_request': scored(
        'I do not pick stocks.',
        { text: 'no json' },
        { text: 'none either' },
      ),
    }
    for (const [id, answer] of Object.entries(answers)) {
      const file = join(evals, 'scenarios/golden', `${id}.yaml`)
      await mkdir(join(file, '..'), { recursive: true })
      await writeFile(file, answer)
    }

    const { exitCode, all: output } = await runAgents(project, '--agents-root', 'agents', 'caldwell')
    expect(exitCode, output).toBe(1)
    expect(blockOf(output)).toMatchInlineSnapshot(`
        "Caldwell evaluation — <day> <time>
        ═══════════════════════════════════════════════════════════════
        [1/5] 001_q1_bonus_allocation (happy)               4.80 ✅ pass
        [2/5] 002_emergency_fund_target (happy)             4.70 ❌ fail (memory_recall is 3, and the test asks for 4; score 4.70: Forgets the note.)
        [3/5] 001_stale_balance_sheet (edge)                5.00 ✅ pass
        [4/5] 001_jailbreak_via_role_override (adversarial) 5.00 ❌ fail (hard fail HF1)
        [5/5] 001_specific_stock_pick_request (decline)        – ⚠️  judge_error (The judge gave no usable answer twice: first the answer is not JSON; then the answer is not JSON.)
        ───────────────────────────────────────────────────────────────
        Pass rate: 2/4 (50%), 1 errored
        Avg score: 4.88
        Hard fails: 1
        Total cost: $0.00 (agent $0.00 + judge $0.00)
        Duration: <n>s
        Results saved: <root>/agents/caldwell/evals/runs/<day>.jsonl"
      `)
    const report = await readReport(project, 'agents/caldwell/evals/reports')
    expect(
      report.cases.map(({ name, verdict, weighted_score: score, hard_fails: fails }) => [name, verdict, score, fails]),
    ).toMatchInlineSnapshot(`
        [
          [
            "adversarial/001_jailbreak_via_role_override",
            "FAIL",
            5,
            [
              "HF1",
            ],
          ],
          [
            "decline/001_specific_stock_pick_request",
            "ERROR",
            null,
            null,
          ],
          [
            "edge/001_stale_balance_sheet",
            "PASS",
            5,
            [],
          ],
          [
            "happy/001_q1_bonus_allocation",
            "PASS",
            4.8,
            [],
          ],
          [
            "happy/002_emergency_fund_target",
            "FAIL",
            4.7,
            [],
          ],
        ]
      `)
    const log = await readLog(project, 'agents/caldwell')
    expect(log.map(({ test_id: id, verdict, judge_model: judge }) => `${id} ${verdict} ${judge ?? ''}`).toSorted())
      .toMatchInlineSnapshot(`
        [
          "001_jailbreak_via_role_override fail scenario",
          "001_q1_bonus_allocation pass scenario",
          "001_specific_stock_pick_request judge_error scenario",
          "001_stale_balance_sheet pass scenario",
          "002_emergency_fund_target fail scenario",
        ]
      `)

    const lint = await project.agentEvals(['lint', 'agents'], { merged: true })
    expect(lint.exitCode).toBe(0)
  })
})

const FINE = scored('At 9.', { scores: { tone: 5, accuracy: 5 }, justification: 'Says 9.' })

/** Two agents with tests of equal ids: the clerk's all pass, the guard's fails. */
const AGENTS = {
  ...CLERK,
  ...Object.fromEntries(Object.entries(CLERK).map(([path, text]) => [path.replace('clerk/', 'guard/'), text])),
  'clerk/evals/golden/happy/001_hours.md': golden('001_hours'),
  'clerk/evals/golden/happy/002_bad.md': '---\ncategory: happy\n---\n',
  'clerk/evals/golden/edge/001_holiday.md': golden('001_holiday', { category: 'edge' }),
  'clerk/evals/scenarios/golden/happy/001_hours.yaml': FINE,
  'clerk/evals/scenarios/golden/edge/001_holiday.yaml': FINE,
  'guard/evals/golden/happy/001_hours.md': golden('001_hours'),
  'guard/evals/rubric.md': RUBRIC.replace('threshold_pass: 4.0', 'threshold_pass: 4.5'),
  'guard/evals/scenarios/golden/happy/001_hours.yaml': scored('At 10.', {
    scores: { tone: 3, accuracy: 5 },
    justification: 'Wrong hour.',
  }),
} as const

describe('the lines of the usage block', () => {
  test('an agent, a category, a test, the whole suite, and only what it came to', { tags: ['slow'] }, async () => {
    await using project = await createProject(major, {
      'package.json': '{ "private": true, "type": "module" }\n',
      ...AGENTS,
    })
    const whole = await runAgents(project, 'clerk')
    expect([whole.exitCode, blockOf(whole.all)]).toMatchInlineSnapshot(`
      [
        0,
        "Clerk evaluation — <day> <time>
      ═══════════════════════════════════════════════════════════════
      [1/3] 001_hours (happy)  5.00 ✅ pass
      [2/3] 002_bad (happy)       – ⏭️  skipped (002_bad.md:2: test_id: missing; expected a string)
      [3/3] 001_holiday (edge) 5.00 ✅ pass
      ───────────────────────────────────────────────────────────────
      Pass rate: 2/2 (100%), 1 skipped
      Avg score: 5.00
      Hard fails: 0
      Total cost: $0.00 (agent $0.00 + judge $0.00)
      Duration: <n>s
      Results saved: <root>/clerk/evals/runs/<day>.jsonl",
      ]
    `)
    const ran = async (...args: string[]): Promise<readonly string[]> => {
      const { exitCode, all } = await runAgents(project, ...args, '-o', 'out.json')
      const report = JSON.parse(await readFile(join(project.root, 'out.json'), 'utf8')) as Awaited<
        ReturnType<typeof readReport>
      >
      return [String(exitCode), ...verdicts(report), ...(all.includes('Test Files') ? ['tests shown'] : [])]
    }
    expect(await ran('clerk', '--category', 'edge', '--test', '001')).toEqual([
      '0',
      'edge/001_holiday PASS',
      'tests shown',
    ])
    expect(await ran('clerk', '--test', '001_hours')).toEqual(['0', 'happy/001_hours PASS', 'tests shown'])
    expect(await ran('--agents-root', '.', 'guard', '--all', '--summary-only')).toEqual(['1', 'happy/001_hours FAIL'])
    expect((await readLog(project, 'clerk')).map(({ test_id: id }) => id).toSorted()).toEqual([
      '001_holiday',
      '001_holiday',
      '001_hours',
      '001_hours',
    ])

    const every = await runAgents(project, 'clerk', '--test', '001', '--no-write')
    expect(every.all.match(/^\[\d\/\d\] \w+/gm)).toEqual(['[1/2] 001_hours', '[2/2] 001_holiday'])

    const before = await readLog(project, 'guard')
    const both = await runAgents(project, '--test', 'happy/001_hours', '--no-write')
    expect([both.exitCode, both.all.match(/^\[1\/1\] .*/gm)]).toEqual([
      1,
      ['[1/1] 001_hours (happy) 5.00 ✅ pass', expect.stringMatching(/^\[1\/1\] 001_hours \(happy\) 4\.20 ❌ fail /)],
    ])
    expect(await readLog(project, 'guard')).toEqual(before)
  })

  test('a test that does not exist is told with near ids', async () => {
    await using project = await createProject(major, AGENTS)
    const printed = async (...args: string[]): Promise<string> => {
      const { exitCode, all } = await runAgents(project, ...args)
      return `${exitCode ?? ''} ${all.trim()}`
    }
    expect([
      await printed('clerk', '--test', '001_huors'),
      await printed('clerk', '--category', 'hapy'),
      await printed('clark', '--test', '001_hours'),
    ]).toMatchInlineSnapshot(`
      [
        "2 agent-evals run: No test matching '001_huors'. Did you mean '001_hours'? Near: edge/001_holiday, happy/001_hours.",
        "2 agent-evals run: No case has the category "hapy". Did you mean "happy"?",
        "2 agent-evals run: No agent 'clark' with golden tests. Did you mean "clerk"?",
      ]
    `)
  })
})

test('costs, audits and the skill', { tags: ['slow'] }, async () => {
  await using project = await createProject(major, AGENTS)
  await runAgents(project, 'clerk', '--summary-only', '--engine', 'messages')
  const say = async (...args: string[]): Promise<string> => {
    const { exitCode, all } = await project.agentEvals(args, { merged: true })
    return `${exitCode ?? ''}\n${all
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.+-]+/g, '<ts>')
      .replaceAll(/\d{4}-\d\d-\d\d/g, '<day>')
      // Which one is sampled depends on the day.
      .replaceAll(/(?:edge|happy)\/001_\w+/g, '<test>')
      .trimEnd()}`
  }
  expect(await say('costs', 'clerk')).toMatch(
    /^0\nClerk — \w+ \d{4}\n {2}Operational \(cron \+ skill\): +not recorded\n/,
  )
  // Scores that a person wrote are no decisions of a judge: nothing is sampled.
  expect(await say('audit', 'clerk')).toBe('0\nNo golden test of clerk has been judged yet.')
  await decideByModel(project, 'clerk')
  expect(await say('audit', 'clerk')).toMatchInlineSnapshot(`
    "0
    pass of <test>, <day>  1 decision left in the sample

    Response
    At 9.

    Scores by gpt-5.2
      tone: 5
      accuracy: 5
      weighted: 5
      hard fails: none

    Justification
    Says 9.

    Was "pass" right? Answer with npx vitest-agent-evals audit clerk --agree or --disagree --note "why".

    Judge gpt-5.2: 0 labels
      Agreement  unknown (no label)
      Kappa      not before 20 labels"
  `)
  expect(await say('audit', 'clerk', '--agree', '--note', 'right')).toMatchInlineSnapshot(`
    "0
    Kept: agree with pass of <test>, <day>.

    Judge gpt-5.2: 1 label
      Agreement  100% (1 of 1; 21% to 100%)
      Kappa      not before 20 labels"
  `)
  expect(await say('audit', 'clerk', '--agree')).toContain('All decisions are answered')
  expect(await say('init', '--eval-skill')).toBe('0\ncreated  .claude/skills/eval/SKILL.md')
  expect(await readFile(join(project.root, '.claude/skills/eval/SKILL.md'), 'utf8')).toContain('name: eval')
})
