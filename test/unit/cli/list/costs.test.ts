import { createFixture } from 'fs-fixture'
import { afterEach, expect, test, vi } from 'vitest'
import { list } from '../../../../src/cli/commands/list.ts'
import { resolveAlias } from '../../../../src/gateway/budget/price.ts'
import { greetings } from '../../../support/eval-project.ts'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

/** A report's case; each run of it sent two requests. */
const entry = (name: string, fields: object): object => ({
  id: `evals/cases/${name}.yaml#${name}`,
  engine: 'claude-code',
  source: 'live',
  verdict: 'PASS',
  duration_seconds: 9,
  runs: [{ requests: 2 }],
  ...fields,
})

const CASES = [
  entry('priced', { cost_usd: 0.12, cost: { agent_usd: 0.1, judge_usd: 0.02, known_usd: 0.12 } }),
  entry('judge-unknown', { cost_usd: null, cost: { agent_usd: 0.1, judge_usd: null, known_usd: 0.1 } }),
  entry('refused', { verdict: 'ERROR', cost_usd: 0, runs: [{ requests: 0 }] }),
]

async function listed(files: Readonly<Record<string, string>>, ...flags: readonly string[]): Promise<string> {
  await using fixture = await createFixture({
    'package.agent.json': '{ "name": "sample", "version": "1.0.0" }\n',
    'evals/eval-config.json': '{ "version": 1, "engine": "claude-code" }\n',
    ...greetings({ priced: '', 'judge-unknown': '', refused: '', 'never-ran': '' }),
    ...files,
  })
  const written: string[] = []
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0)
  await list.run(['--root', fixture.path, ...flags])
  vi.restoreAllMocks()
  return written.join('')
}

const report = { 'evals/reports/2026-01-02T10-00-00Z.json': JSON.stringify({ cases: CASES }) }

test('what is unknown before a live run is unknown in every row, in the total and in JSON, never $0.00', async () => {
  const table = await listed(report, '--live')
  expect(table).not.toContain('$0.00')
  expect(table).toContain('cost $0.12 + unknown for 3 cases, at most $10.00, by the budget (--max-cost-usd)')
  expect(table.match(/^(?:judge-unknown|never-ran|priced|refused) .*?(?:unknown|\$\d\.\d\d) +evals/gm)).toHaveLength(4)

  const { cases, totals } = JSON.parse(await listed(report, '--live', '--json')) as {
    readonly cases: readonly { name: string; calls: number | null; cost_usd: number | null }[]
    readonly totals: object
  }
  expect(Object.fromEntries(cases.map(({ name, calls, cost_usd: usd }) => [name, [calls, usd]]))).toEqual({
    priced: [2, 0.12],
    'judge-unknown': [2, null],
    // Its API refused it: that says neither what a run costs nor what it asks.
    refused: [null, null],
    'never-ran': [null, null],
  })
  expect(totals).toMatchObject({ cost_usd: { known: 0.12, unknown: 3 } })
})

test('where nothing is known the budget says what it costs at most, and only what is played costs nothing', async () => {
  const table = await listed({}, '--live')
  expect(table).not.toMatch(/\$0\.00| unknown| Calls| Time| Cost/)
  expect(table).toContain('4 cases, 4 runs, cost at most $10.00, by the budget (--max-cost-usd)\n')
  expect(await listed({})).toContain('cost $0.00')
  vi.stubEnv('AGENT_EVALS_ALLOW_UNKNOWN_COST', 'true')
  expect(await listed({}, '--live')).toContain('cost unknown')
})

test.for([
  ['--live', resolveAlias('opus')],
  ['--live --model haiku', resolveAlias('haiku')],
  ['--live --model claude-sonnet-5', 'claude-sonnet-5'],
  ['--live --engine copilot', null],
  ['--live --engine codex', 'gpt-6.1-sol'],
  ['--live --engine codex --model gpt-5.5', 'gpt-5.5'],
] as const)('list %s names the model that each case asks', async ([line, model]) => {
  const { cases } = JSON.parse(await listed({}, ...line.split(' '), '--json')) as {
    readonly cases: readonly { readonly model: string | null; readonly answers: string }[]
  }
  const asked = cases.filter(({ answers }) => answers === 'live')
  expect(asked.length).toBeGreaterThan(0)
  expect([...new Set(asked.map((one) => one.model))]).toEqual([model])
  const table = await listed({}, ...line.split(' '))
  expect(table).toMatch(/^Case +Target +Answers +Model +Runs/m)
  expect(table).toMatch(new RegExp(`^never-ran +- +live(?: \\(codex\\))? +${model ?? 'unknown'} `, 'm'))
})

test('a list that was not asked for live runs names no model', async () => {
  expect(await listed({})).not.toContain('Model')
  expect(await listed({}, '--json')).not.toContain('"model"')
})
