import { AgentEvalsError } from '../../lib/errors.ts'
import { diffReports } from '../../report/diff/diff.ts'
import { formatDiff } from '../output/format-diff.ts'
import { flagHelp, readFlags, type Command } from '../flags.ts'
import { readReportFile } from '../../report/read-report.ts'
import { painter, print, printJson } from '../../report/summary/terminal.ts'

const FLAGS = {
  json: { type: 'boolean', help: 'print the comparison as JSON' },
  'fail-on-regression': {
    type: 'boolean',
    help: 'exit 1 on a regression, 2 when a case that passed is no longer decided',
  },
} as const

/** `agent-evals diff A B`: two reports side by side. */
export const diff: Command = {
  name: 'diff',
  usage: 'REPORT-A REPORT-B [options]',
  details: [
    'A is before, B is after. A case whose inputs changed is shown, but not counted in rates or regressions.',
    '',
    ...flagHelp(FLAGS),
  ],
  async run(argv) {
    const { values, positionals } = readFlags(FLAGS, argv)
    const [a, b, ...more] = positionals
    if (a === undefined || b === undefined || more.length > 0)
      throw new AgentEvalsError('invalid-options', `Expected two reports, got ${positionals.length}.`)

    const compared = diffReports(readReportFile(a), readReportFile(b))
    if (values.json === true) printJson(compared)
    else print(formatDiff(compared, { paint: painter(), width: process.stdout.columns ?? 120, paths: [a, b] }))
    if (values['fail-on-regression'] !== true) return 0
    if (compared.regressions > 0) return 1
    return compared.cases.some(
      (one) => one.change === 'lost' && one.a?.outcome === 'passed' && one.quarantined === null,
    )
      ? 2
      : 0
  },
}
