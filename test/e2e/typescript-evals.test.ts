// @module-tag claude-code
import { describe, expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { PACKAGE, readReport, refusing, saying, verdicts } from '../support/eval-project.ts'
import type { ReportCase } from '../../src/report/report.ts'

const major = repositoryVitest()

const FILE = `import { describe, expect, skillsUsed, test, toolCalls } from 'vitest-agent-evals/test'

test('greets', async ({ agent }) => {
  const run = await agent.run('Say hello.')
  expect(run).toContainOutput('Hello')
  expect(run).not.toHaveCreatedFile('a.txt')
  await expect(run).toPassJudge('It greets.')
  await expect(run).not.toMeetExpectations(['It says goodbye.'])
  expect(toolCalls(run)).toEqual([])
  expect(skillsUsed(run)).toEqual([])
})
describe('a block', () => {
  test.override({ timeout: 77, sandbox: 'none', skill: 'absent' })
  test('fails', async ({ agent }) => {
    const run = await agent.run('Say hello.')
    expect(run).toHaveCreatedFile('a.txt')
  })
})
test('errs', async ({ agent }) => {
  const run = await agent.run('Say hello.')
  expect(run.output).not.toContain('secret')
})
test('runs thrice', async ({ agent }) => {
  const runs = await agent.runs('Say hello.', { runs: 3 })
  expect(runs.filter((run) => run.output.includes('Hello'))).toHaveLength(2)
})
test.skip('is left out', () => {})
test('skips', ({ skip }) => skip('no reason'))
test('has no run', () => {})
test('expects an error', { fails: true }, async ({ agent }) => {
  expect(await agent.run('Say hello.')).toContainOutput('Hello')
})
test('expects a failure', { fails: true }, async ({ agent }) => {
  expect(await agent.run('Say hello.')).toContainOutput('Goodbye')
})
test('looks at an error', async ({ agent }) => {
  const run = await agent.run('Say hello.', { acceptIncomplete: true })
  expect(run.status).toBe('api-error')
})
test('misuses', async ({ agent }) => {
  const [row] = [{ prompt: 'Say hello.' }] as { prompt: string; expected: string }[]
  const run = await agent.run(row!.prompt)
  expect(run).not.toHaveUsedSkill(row!.expected)
})
test('a name', () => {})
test('a name', () => {})
`

const VERDICTS = [
  { verdict: 'pass', reason: 'It greets.', quote: 'Hello, World' },
  { verdict: 'fail', reason: 'It does not.', quote: 'Hello, World' },
]

describe('tests in TypeScript', { tags: ['claude-code'] }, () => {
  test('are cases of the report, each with its runs, checks and judges', async () => {
    await using project = await createProject(major, {
      ...PACKAGE,
      'evals/hand.eval.ts': FILE,
      'evals/broken.eval.ts': "import 'vitest-agent-evals/test'\nimport './absent.ts'\n",
      'evals/scenarios/greets.yaml': JSON.stringify({
        turns: ['Hello, World'],
        judge: VERDICTS.map((verdict) => [verdict]),
      }),
      'evals/scenarios/a-block-fails-c2223d.yaml': saying('Hello, World'),
      'evals/scenarios/misuses.yaml': saying('Hello, World'),
      'evals/scenarios/errs.yaml': refusing(400),
      'evals/scenarios/looks-at-an-error-f1d472.yaml': refusing(400),
      'evals/scenarios/runs-thrice-c41c18.yaml': saying('Hello, World'),
      'evals/scenarios/runs-thrice-c41c18.2.yaml': saying('Good morning'),
      'evals/scenarios/expects-an-error-6bd9c9.yaml': refusing(400),
      'evals/scenarios/expects-a-failure-2fe263.yaml': saying('Hello, World'),
    })
    const { all, exitCode } = await project.run(['run', '--project', 'evals'], { merged: true })
    const report = await readReport(project)
    expect(verdicts(report)).toMatchInlineSnapshot(`
      [
        "evals/broken.eval.ts ERROR invalid-suite",
        "greets PASS",
        "a block > fails FAIL",
        "errs ERROR upstream-failed",
        "runs thrice PASS",
        "is left out SKIP",
        "skips SKIP",
        "has no run PASS",
        "expects an error ERROR upstream-failed",
        "expects a failure PASS",
        "looks at an error PASS",
        "misuses ERROR invalid-options",
        "a name ERROR invalid-suite",
      ]
    `)
    expect({ ...report.summary, exitCode, status: report.status }).toMatchInlineSnapshot(`
      {
        "cost_usd": 0,
        "errored": 5,
        "exitCode": 1,
        "failed": 1,
        "pass_rate": 0.83,
        "passed": 5,
        "skipped": 2,
        "status": "complete",
        "tokens": null,
        "total": 13,
        "unknown_cost_cases": 0,
      }
    `)
    expect(report.cases.filter(({ name }) => SHOWN.has(name)).map(shown)).toMatchInlineSnapshot(`
      [
        {
          "checks": {
            "not_to_have_created_file": "PASS",
            "to_contain_output": "PASS",
          },
          "error": null,
          "expectations": [
            "PASS It greets.",
            "PASS not: It says goodbye.",
          ],
          "judge": "PASS",
          "line": 3,
          "lines": [
            5,
            6,
          ],
          "name": "greets",
          "runs": [
            "1 completed hand.eval/greets/claude-code.1",
          ],
          "sandbox": "prefer",
          "skipped": null,
          "target": null,
        },
        {
          "checks": {
            "to_have_created_file": "FAIL",
          },
          "error": "expected the run to have created a.txt

      Created files:
        (none)",
          "expectations": undefined,
          "judge": undefined,
          "line": 14,
          "lines": [
            16,
          ],
          "name": "a block > fails",
          "runs": [
            "1 completed hand.eval/a-block-fails-c2223d/claude-code.1",
          ],
          "sandbox": "none",
          "skipped": null,
          "target": "skill:absent",
        },
        {
          "checks": {},
          "error": null,
          "expectations": undefined,
          "judge": undefined,
          "line": 23,
          "lines": [],
          "name": "runs thrice",
          "runs": [
            "1 completed hand.eval/runs-thrice-c41c18/claude-code.1",
            "2 completed hand.eval/runs-thrice-c41c18/claude-code.2",
            "3 completed hand.eval/runs-thrice-c41c18/claude-code.3",
          ],
          "sandbox": "prefer",
          "skipped": null,
          "target": null,
        },
        {
          "checks": {},
          "error": null,
          "expectations": undefined,
          "judge": undefined,
          "line": 27,
          "lines": [],
          "name": "is left out",
          "runs": [],
          "sandbox": undefined,
          "skipped": "skipped in its file, by \`.skip\` or \`.todo\` or for another that has \`.only\`",
          "target": null,
        },
        {
          "checks": {},
          "error": null,
          "expectations": undefined,
          "judge": undefined,
          "line": 28,
          "lines": [],
          "name": "skips",
          "runs": [],
          "sandbox": undefined,
          "skipped": "no reason",
          "target": null,
        },
      ]
    `)
    const broken = all.slice(all.indexOf('AgentEvalsError: Run 1')).split('⎯')[0] ?? ''
    expect(broken).toMatch(
      /transcript:\n[^]*run again:\n +\| .*evals\/hand\.eval\.ts:19\n ❯ evals\/hand\.eval\.ts:20:27\n/,
    )
    expect(broken.split('\n\n')[0]).toMatchInlineSnapshot(`
      "AgentEvalsError: Run 1 (api-error): The scenario (evals/scenarios/errs.yaml:1) answered 400: no.
      If that is the subject of the test, use \`{ acceptIncomplete: true }\`."
    `)
  })
})

const SHOWN: ReadonlySet<string> = new Set(['greets', 'a block > fails', 'runs thrice', 'is left out', 'skips'])

function shown(entry: ReportCase): object {
  return {
    name: entry.name,
    target: entry.target,
    checks: entry.deterministic_checks,
    expectations: entry.expectations?.map(({ text, result }) => `${result} ${text}`),
    judge: entry.judge_verdict?.result,
    lines: entry.checks.map(({ line }) => line),
    runs: entry.runs.map(({ index, status, folder }) => `${index} ${status} ${folder?.split('/').slice(4).join('/')}`),
    error: entry.error,
    skipped: entry.skip_reason,
    line: entry.line,
    sandbox: entry.sandbox?.asked,
  }
}
