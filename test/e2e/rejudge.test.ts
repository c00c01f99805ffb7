// @module-tag claude-code
// @module-tag slow
// @module-tag long
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { createProject, type TestProject } from '../support/project.ts'
import { CLERK, golden, RUBRIC } from '../support/agent-fixture.ts'
import { greeting, PACKAGE, readReports, saying, verdicts } from '../support/eval-project.ts'
import type { Report } from '../../src/report/report.ts'
import type { FinishedProcess } from '../support/running-process.ts'

const major = repositoryVitest()
const SANDBOX = { AGENT_EVALS_SANDBOX: 'prefer' }

function scored(tone: number): string {
  return JSON.stringify({
    turns: ['At 9.'],
    judge: [{ scores: { tone, accuracy: 5 }, justification: `Tone ${tone}.` }],
  })
}

function rejudge(project: TestProject, ...args: string[]): Promise<FinishedProcess> {
  return project.agentEvals(['rejudge', ...args], { env: SANDBOX, merged: true })
}

async function newest(project: TestProject, folder: string): Promise<Report> {
  const report = (await readReports(project, folder)).at(-1)
  if (report === undefined) throw new Error(`${folder} holds no report.`)
  return report
}

function readEvidence(project: TestProject, folder: string | null | undefined, name: string): Promise<string> {
  return readFile(join(project.root, folder ?? '', name), 'utf8')
}

test('stored runs of golden tests are judged again by what the rubric and the judge say now', async () => {
  await using project = await createProject(major, {
    'package.json': '{ "private": true, "type": "module" }\n',
    ...CLERK,
    'clerk/evals/golden/happy/001_hours.md': golden('001_hours'),
    'clerk/evals/golden/happy/002_rude.md': golden('002_rude'),
    'clerk/evals/scenarios/golden/happy/001_hours.yaml': scored(5),
    'clerk/evals/scenarios/golden/happy/002_rude.yaml': scored(2),
  })
  await project.agentEvals(['run', 'clerk', '-o', 'first.json'], { env: SANDBOX })
  const first = JSON.parse(await readFile(join(project.root, 'first.json'), 'utf8')) as Report
  expect(verdicts(first)).toEqual(['happy/001_hours PASS', 'happy/002_rude FAIL'])

  // The agent would say something else now: nobody asks it.
  const scenario = project.files.getPath('clerk/evals/scenarios/golden/happy/002_rude.yaml')
  await writeFile(scenario, scored(4).replace('At 9.', 'At 10.'))
  await writeFile(project.files.getPath('clerk/evals/rubric.md'), RUBRIC.replace('Calm.', 'Calm and short.'))
  const again = await rejudge(project, 'first.json', '-o', 'second.json')
  expect(again.exitCode, again.all).toBe(0)
  const second = JSON.parse(await readFile(join(project.root, 'second.json'), 'utf8')) as Report
  expect(verdicts(second)).toEqual(['happy/001_hours PASS', 'happy/002_rude PASS'])
  expect(second).toMatchObject({ rejudged_from: 'first.json', status: 'complete', source: 'scenario' })
  const [before, after] = [first.cases[1], second.cases[1]]
  expect(after).toMatchObject({ scores: { tone: 4, accuracy: 5 }, agent_output_snippet: 'At 9.', cost_usd: 0 })
  expect(after?.usage).toEqual(before?.usage)

  const [old, made] = [before?.runs[0]?.folder, after?.runs[0]?.folder]
  expect([made === old, second.id === first.id]).toEqual([false, false])
  expect(await readEvidence(project, made, 'transcript.jsonl')).toBe(
    await readEvidence(project, old, 'transcript.jsonl'),
  )
  expect(await readEvidence(project, made, 'judge.json')).toContain('Calm and short.')
  expect(await readEvidence(project, old, 'judge.json')).not.toContain('Calm and short.')

  // Not the same test any more: what ran says nothing about it.
  await writeFile(
    project.files.getPath('clerk/evals/golden/happy/001_hours.md'),
    golden('001_hours').replace('When do you open?', 'When do you close?'),
  )
  const changed = await rejudge(project, 'second.json', '-o', 'third.json')
  expect(changed.exitCode, changed.all).toBe(2)
  const third = JSON.parse(await readFile(join(project.root, 'third.json'), 'utf8')) as Report
  expect(verdicts(third)).toEqual(['happy/001_hours ERROR stale', 'happy/002_rude PASS'])
})

test('so are the runs of cases, and what cannot be judged again is said', { tags: ['claude-code'] }, async () => {
  await using project = await createProject(major, {
    ...PACKAGE,
    'evals/cases/warm.yaml': greeting('warm'),
    'evals/scenarios/warm.yaml': saying('Hello'),
    'evals/cases/cold.yaml': greeting('cold'),
    'evals/scenarios/cold.yaml': JSON.stringify({ turns: ['Go away'] }),
  })
  await project.agentEvals(['run'], { env: SANDBOX })
  expect(verdicts(await newest(project, 'evals/reports'))).toEqual(['cold FAIL', 'warm PASS'])

  const fails = [{ verdict: 'fail', reason: 'It is short.', quote: 'Hello' }]
  await writeFile(
    project.files.getPath('evals/scenarios/warm.yaml'),
    JSON.stringify({ turns: ['Bye'], judge: [fails] }),
  )
  const [name] = await project.files.readdir('evals/reports')
  const path = `evals/reports/${String(name)}`
  const again = await rejudge(project, path)
  expect(again.exitCode, again.all).toBe(1)
  const report = await newest(project, 'evals/reports')
  expect(verdicts(report)).toEqual(['cold FAIL', 'warm FAIL'])
  expect(report).toMatchObject({ rejudged_from: path })
  expect(report.cases[1]?.expectations).toMatchObject([{ result: 'FAIL', evidence_found_in: 'output' }])
  expect(report.cases[0]?.judge_skipped).toBe('a check failed')

  const none = await rejudge(project, 'nowhere.json')
  expect([none.exitCode, none.all]).toMatchInlineSnapshot(`
    [
      2,
      "agent-evals rejudge: There is no report at <root>/nowhere.json.",
    ]
  `)
  await rm(join(project.root, '.vitest'), { recursive: true })
  const gone = await rejudge(project, path)
  expect([gone.exitCode, gone.all.replaceAll(/[0-9a-f]{6}\b|\d{4}-[-\dTZ]+/g, '<run>')]).toMatchInlineSnapshot(`
    [
      2,
      "agent-evals rejudge: The runs of <root>/evals/reports/<run>.json are not stored: no run folder …-<run> in .vitest/agent-evals above it. The last 20 are kept; run the cases again, then rejudge that report.",
    ]
  `)

  await project.agentEvals(['run', 'cold'], { env: SANDBOX })
  const unjudged = (await project.files.readdir('evals/reports')).map(String).toSorted().at(-1)
  const nothing = await rejudge(project, `evals/reports/${unjudged ?? ''}`)
  expect([nothing.exitCode, nothing.all.replaceAll(/\d{4}-[-\dTZ]+/g, '<run>')]).toMatchInlineSnapshot(`
    [
      2,
      "agent-evals rejudge: Nothing in evals/reports/<run>.json can be judged again: no judge decided anything, or only tests and cases of claude plugin eval.",
    ]
  `)
})

test('a case of claude plugin eval keeps what its graders found', { tags: ['claude-code'] }, async () => {
  await using project = await createProject(major, {
    'package.json': '{ "private": true, "type": "module" }\n',
    '.claude-plugin/plugin.json': '{"name":"plug","version":"1.0.0"}',
    'evals/greets/prompt.md': '---\nruns: 1\n---\nGreet.\n',
    'evals/greets/graders/polite.md': '---\ntype: llm\n---\nIs polite.\n',
    'evals/scenarios/greets.yaml': JSON.stringify({
      turns: ['Hello'],
      judge: Array.from({ length: 3 }, () => [{ verdict: 'fail', reason: 'It is short.', quote: 'Hello' }]),
    }),
    'package.agent.json': '{ "name": "plug", "version": "1.0.0" }',
    'evals/cases/warm.yaml': greeting('warm'),
    'evals/scenarios/warm.yaml': saying('Hello'),
  })
  const graded = await project.agentEvals(['run', 'greets', '--ablation', 'none', '-o', 'graded.json'], {
    env: SANDBOX,
    merged: true,
  })
  const alone = await rejudge(project, 'graded.json')
  expect(alone.all, graded.all).not.toContain('PASS')

  // Beside a case that is judged again it stands as it was: a judge that is not asked may not pass it.
  await project.agentEvals(['run', '--ablation', 'none', '-o', 'both.json'], { env: SANDBOX })
  const again = await rejudge(project, 'both.json', '-o', 'second.json')
  const report = JSON.parse(await readFile(join(project.root, 'second.json'), 'utf8')) as Report
  expect(verdicts(report).toSorted(), again.all).toEqual(['greets FAIL', 'warm PASS'])
  const kept = report.cases.find(({ name }) => name === 'greets')
  expect(kept).toMatchObject({ judge_verdict: { result: 'FAIL' }, error: expect.stringContaining('FAIL FAIL FAIL') })
})
