import { AgentEvalsError } from '../../lib/errors.ts'
import { describeCost } from '../../gateway/budget/spending.ts'
import { monthCosts, type MonthCost, type MonthCosts } from '../../report/golden/month-costs.ts'
import { findAgents } from '../find/name-cases.ts'
import { flagHelp, readFlags, type Command } from '../flags.ts'
import { print, printJson } from '../../report/summary/terminal.ts'
import { sumOf } from '../../lib/lists.ts'

const FLAGS = {
  'agents-root': { type: 'string', value: 'DIR', help: 'folder of the agents' },
  month: { type: 'string', value: 'YYYY-MM', help: 'this month only' },
  json: { type: 'boolean', help: 'print JSON' },
} as const

/** `agent-evals costs`: what agents and their golden tests cost, by month. */
export const costs: Command = {
  name: 'costs',
  usage: '[agent...] [options]',
  details: [
    'The costs of golden tests come from evals/runs/, all others from log/ of the agent.',
    '',
    ...flagHelp(FLAGS),
  ],
  async run(argv) {
    const { values, positionals } = readFlags(FLAGS, argv)
    const { month } = values
    if (month !== undefined && !/^\d{4}-(?:0[1-9]|1[0-2])$/.test(month))
      throw new AgentEvalsError(
        'invalid-options',
        `--month is ${JSON.stringify(month)} but expected a month such as 2026-05.`,
      )
    const agents = await findAgents(values['agents-root'], positionals)
    const found = agents.map(({ name, dir }) => ({
      agent: name,
      months: monthCosts(dir).filter((one) => month === undefined || one.month === month),
    }))
    if (values.json === true) printJson(found.map(toJson))
    else print(found.flatMap(({ agent, months }) => format(agent, months)).slice(0, -1))
    return 0
  },
}

function toJson({ agent, months }: { readonly agent: string; readonly months: readonly MonthCosts[] }): object {
  return {
    agent,
    months: months.map((one) => ({
      month: one.month,
      operational_usd: one.operational?.usd ?? null,
      helpers_usd: one.helpers?.usd ?? null,
      evals_usd: one.evals.usd,
      unknown: sumOf([one.operational, one.helpers, one.evals], (cost) => cost?.unknownCases ?? 0),
      tests: one.tests,
      runs: one.runs,
    })),
  }
}

/** The lines of the format, for each month. */
function format(agent: string, months: readonly MonthCosts[]): readonly string[] {
  const name = `${agent.charAt(0).toUpperCase()}${agent.slice(1)}`
  if (months.length === 0) return [`${name} — nothing recorded`, '']
  return months.flatMap((costsOf) => {
    const { operational, helpers, helperModel, evals, tests, runs } = costsOf
    const rows: readonly (readonly [string, string])[] = [
      ['Operational (cron + skill):', amount(operational, 'call')],
      [`Helpers${helperModel === null ? '' : ` (${helperModel})`}:`, amount(helpers, 'call')],
      [`Evals (${tests} tests × ${runs} runs this month):`, amount(evals, 'test')],
    ]
    const width = Math.max(...rows.map(([label]) => label.length))
    const parts = [operational, helpers, evals].filter((part) => part !== null)
    const total = {
      usd: sumOf(parts, ({ usd }) => usd),
      unknownCases: sumOf(parts, ({ unknownCases }) => unknownCases),
    }
    return [
      `${name} — ${monthName(costsOf.month)}`,
      ...rows.map(([label, value]) => `  ${label.padEnd(width)}  ${value}`),
      `  ${'─'.repeat(width + 8)}`,
      `  ${'Total:'.padEnd(width)}  ${describeCost(total, 'line')}`,
      '',
    ]
  })
}

function amount(cost: MonthCost | null, unit: string): string {
  return cost === null ? 'not recorded' : describeCost(cost, unit)
}

function monthName(month: string): string {
  return new Date(`${month}-15T12:00:00Z`).toLocaleString('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' })
}
