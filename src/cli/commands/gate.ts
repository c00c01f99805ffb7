import { resolve } from 'node:path'
import { AgentEvalsError } from '../../lib/errors.ts'
import { variableOf } from '../../options/option.ts'
import type { Budgets } from '../../options/project-options.ts'
import { resolveOptions } from '../../options/resolve-options.ts'
import { commentOn, writeComment } from '../../report/comment/write-comment.ts'
import { checkBudgets } from '../../report/compare/verdicts.ts'
import { compare, withBudgets } from '../../report/compare/compare.ts'
import { latestReports } from '../find/search.ts'
import { flagHelp, readFlags, type Command } from '../flags.ts'
import { nameFlag } from '../run-arguments.ts'
import { formatBudgets, formatComparison } from '../../report/compare/format-comparison.ts'
import { readReportFile } from '../../report/read-report.ts'
import { painter, print, printJson } from '../../report/summary/terminal.ts'

const FLAGS = {
  against: { type: 'string', value: 'BEFORE', help: 'the report to compare with' },
  budget: { type: 'string', multiple: true, value: 'NAME=LIMIT', help: 'a limit of the run, such as passRate=0.8' },
  comment: { type: 'string', value: 'FILE', help: 'also write a comment for the pull request, in Markdown' },
  json: { type: 'boolean', help: 'print the result as JSON' },
} as const

/** `agent-evals gate --against BEFORE [AFTER]`: fails on a regression that is more than noise. */
export const gate: Command = {
  name: 'gate',
  usage: '[--against BEFORE] [AFTER] [options]',
  details: [
    'AFTER defaults to the report of the latest run. All cases are tested together, and each one alone.',
    'Exit code: 1 on a regression or a missed budget; 2 if cases are missing, newly errored, changed or not comparable.',
    '',
    ...flagHelp(FLAGS),
  ],
  async run(argv) {
    const { values, positionals } = readFlags(FLAGS, argv)
    const { against } = values
    const budgets = readBudgets(values.budget ?? [])
    const [named, ...more] = positionals
    if ((against === undefined && budgets === null) || more.length > 0)
      throw new AgentEvalsError('invalid-options', 'Expected two reports: gate --against BEFORE [AFTER].')
    const path = named ?? (await latestReport())
    const after = readReportFile(path)
    const before = against === undefined ? null : readReportFile(against)
    const compared = before === null ? null : compare(before, after)
    const checked = checkBudgets([after], budgets ?? {})
    const result = withBudgets(compared, checked, after)
    if (values.json === true) printJson(result)
    else if (against === undefined) print(formatBudgets(checked, painter()))
    else print(formatComparison(result, { paint: painter(), paths: [against, path], decides: true }))
    if (values.comment !== undefined) {
      const told = { reports: [after], comparison: result, decides: before !== null }
      writeComment(resolve(values.comment), commentOn(told, process.env, process.cwd()))
    }
    return result.exit_code
  },
}

function readBudgets(flags: readonly string[]): Budgets | null {
  if (flags.length === 0) return null
  const flag = { [variableOf('budgets')]: flags.join(',') }
  try {
    return resolveOptions({}, flag).budgets
  } catch (error) {
    throw nameFlag(error, flag)
  }
}

async function latestReport(): Promise<string> {
  const [report, ...others] = await latestReports()
  if (report !== undefined && others.length === 0) return report
  throw new AgentEvalsError(
    'invalid-options',
    `The latest run wrote ${others.length + 1} reports. Name the one to test: gate --against BEFORE AFTER.`,
  )
}
