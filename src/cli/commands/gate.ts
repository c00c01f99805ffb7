import { AgentEvalsError } from '../../lib/errors.ts'
import { gateReports } from '../../report/gate/gate.ts'
import { latestReports } from '../find/search.ts'
import { flagHelp, readFlags, type Command } from '../flags.ts'
import { formatGate } from '../../report/gate/format-gate.ts'
import { readReportFile } from '../../report/read-report.ts'
import { painter, print, printJson } from '../../report/summary/terminal.ts'

const FLAGS = {
  against: { type: 'string', value: 'BEFORE', help: 'the report to compare with' },
  json: { type: 'boolean', help: 'print the result as JSON' },
} as const

/** `agent-evals gate --against BEFORE [AFTER]`: fails on a regression that is more than noise. */
export const gate: Command = {
  name: 'gate',
  usage: '--against BEFORE [AFTER] [options]',
  summary: 'Fail if a report is worse than another by more than noise.',
  details: [
    'AFTER defaults to the report of the latest run. All cases are tested together, and each one alone.',
    'Exit code: 1 on a regression; 2 if cases are missing, newly errored, changed or not comparable.',
    '',
    ...flagHelp(FLAGS),
  ],
  async run(argv) {
    const { values, positionals } = readFlags(FLAGS, argv)
    const [named, ...more] = positionals
    if (values.against === undefined || more.length > 0)
      throw new AgentEvalsError('invalid-options', 'Expected two reports: gate --against BEFORE [AFTER].')
    const after = named ?? (await latestReport())
    const result = gateReports(readReportFile(values.against), readReportFile(after))
    if (values.json === true) printJson(result)
    else print(formatGate(result, { paint: painter(), paths: [values.against, after] }))
    return result.exit_code
  },
}

async function latestReport(): Promise<string> {
  const [report, ...others] = await latestReports()
  if (report !== undefined && others.length === 0) return report
  throw new AgentEvalsError(
    'invalid-options',
    `The latest run wrote ${others.length + 1} reports. Name the one to test: gate --against BEFORE AFTER.`,
  )
}
