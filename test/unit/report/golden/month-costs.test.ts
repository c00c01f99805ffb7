import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { monthCosts } from '../../../../src/report/golden/month-costs.ts'

const evalLine = (
  day: string,
  id: string,
  agent: number | null,
  judge: number | null,
  judgeModel: string | null = 'gpt-5.2',
): string =>
  JSON.stringify({
    ts: `${day}T10:00:00`,
    agent: 'clerk',
    test_id: id,
    category: 'happy',
    judge_model: judgeModel,
    agent_cost_usd: agent,
    judge_cost_usd: judge,
  })

test("adds up golden tests by month, and the agent's own work and helpers by its log", async () => {
  await using fixture = await createFixture({
    'evals/runs/2026-05-06.jsonl': `${evalLine('2026-05-06', 'a', 0.2, 0.05)}\n${evalLine('2026-05-06', 'b', 0.1, 0.05)}\n{"half`,
    'evals/runs/2026-05-07.jsonl': `${evalLine('2026-05-07', 'a', 0.2, 0.05)}\n${evalLine('2026-05-07', 'b', 0.1, null, null)}\n`,
    'evals/runs/2026-06-01.jsonl': `${evalLine('2026-06-01', 'a', null, 0.05)}\n`,
    'evals/runs/audit_log.jsonl': '{"ts":"2026-05-06","event":"agree"}\n',
    'log/2026-05.jsonl': [
      { ts: '2026-05-01T08:00:00', trigger: 'cron', model: 'claude-opus-4-7', cost_usd: 4.85 },
      { ts: '2026-05-01T08:00:01', helper: 'summarize', model: 'claude-haiku-4-5', cost_usd: 0.31 },
      { ts: '2026-05-06T10:00:00', trigger: 'eval', model: 'claude-opus-4-7', cost_usd: 0.2 },
    ]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join(''),
  })
  expect(monthCosts(fixture.path)).toEqual([
    {
      month: '2026-05',
      operational: { usd: 4.85, unknownCases: 0 },
      helperModel: 'Haiku',
      helpers: { usd: 0.31, unknownCases: 0 },
      evals: { usd: expect.closeTo(0.75, 10), unknownCases: 0 },
      tests: 2,
      runs: 2,
    },
    {
      month: '2026-06',
      operational: null,
      helperModel: null,
      helpers: null,
      // The agent's part is unknown, the judge's is not.
      evals: { usd: 0.05, unknownCases: 1 },
      tests: 1,
      runs: 1,
    },
  ])
})

test('an agent that keeps no log has months of golden tests alone, and one without any has none', async () => {
  await using fixture = await createFixture({
    'x/evals/runs/2026-05-06.jsonl': `${evalLine('2026-05-06', 'a', 0, 0)}\n`,
  })
  expect(monthCosts(fixture.getPath('x'))).toMatchObject([{ operational: null, helpers: null, evals: { usd: 0 } }])
  expect(monthCosts(fixture.getPath('y'))).toEqual([])
})
