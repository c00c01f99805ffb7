import { AgentEvalsError } from '../../lib/errors.ts'
import { formatComparison } from '../../report/compare/format-comparison.ts'
import { compare } from '../../report/compare/compare.ts'
import type { Comparison } from '../../report/compare/comparison-schema.ts'
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

/** `agent-evals diff BEFORE AFTER`: two reports side by side. */
export const diff: Command = {
  name: 'diff',
  usage: 'BEFORE AFTER [options]',
  details: ['A case whose inputs changed is shown, but not counted in rates or regressions.', '', ...flagHelp(FLAGS)],
  async run(argv) {
    const { values, positionals } = readFlags(FLAGS, argv)
    const [before, after, ...more] = positionals
    if (before === undefined || after === undefined || more.length > 0)
      throw new AgentEvalsError('invalid-options', `Expected two reports, got ${positionals.length}.`)

    const compared = compare(readReportFile(before), readReportFile(after))
    if (values.json === true) printJson(compared)
    else print(formatComparison(compared, { paint: painter(), paths: [before, after], decides: false }))
    return values['fail-on-regression'] === true ? exitCodeOf(compared) : 0
  },
}

// By the outcomes alone, whatever chance can do.
function exitCodeOf({ cases }: Comparison): number {
  const passed = cases.filter(({ before, status }) => before?.outcome === 'passed' && status !== 'quarantined')
  if (passed.some(({ after, status }) => after?.outcome === 'failed' && status !== 'changed')) return 1
  return passed.some(({ after }) => after?.outcome === 'errored' || after?.outcome === 'skipped') ? 2 : 0
}
