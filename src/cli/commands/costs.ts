import { describeCost } from '../../gateway/budget/spending.ts'
import { monthCosts, type MonthCost, type MonthCosts } from '../../report/golden/month-costs.ts'
import { findAgents } from '../find/golden-tests.ts'
import { flagHelp, readFlags, type Command } from '../flags.ts'
import { print } from '../../report/summary/terminal.ts'
import { sumOf } from '../../lib/lists.ts'

const FLAGS = {
  'agents-root': { type: 'string', value: 'DIR', help: 'folder of the agents' },
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
    const agents = await findAgents(values['agents-root'], positionals)
    const lines = agents.flatMap(({ name, dir }) => format(name, monthCosts(dir)))
    print(lines.slice(0, -1))
    return 0
  },
}

/** One block for each month. */
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
