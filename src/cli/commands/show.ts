import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { AgentEvalsError } from '../../lib/errors.ts'
import { suggestName } from '../../lib/documents/nearest-name.ts'
import { formatShown, listToolCalls } from '../output/format-shown.ts'
import { latestReports } from '../find/search.ts'
import { readFlags, type Command } from '../flags.ts'
import { readReportFile } from '../../report/read-report.ts'
import { painter, print } from '../../report/summary/terminal.ts'

/** `agent-evals show [REPORT] [CASE]`: a report for reading. */
export const show: Command = {
  name: 'show',
  usage: '[REPORT] [CASE...]',
  details: [
    'The default is every report of the latest run below the current folder.',
    'Name a case by its name or id in the report. Its tool calls are shown while .vitest/agent-evals still has them.',
  ],
  async run(argv) {
    const { positionals } = readFlags({}, argv)
    const [first] = positionals
    const isNamed = first !== undefined && (first.endsWith('.json') || existsSync(first))
    const files = isNamed ? [first] : await latestReports()
    const names = isNamed ? positionals.slice(1) : positionals

    const reports = files.map((file) => ({ file, report: readReportFile(file) }))
    const caseNames = reports.map(({ report }) =>
      report.cases.flatMap(({ id, name }) => [name, ...(id === null ? [] : [id])]),
    )
    const unknown = names.find((name) => !caseNames.flat().includes(name))
    if (unknown !== undefined) {
      const message = `${files.join(', ')} has no case ${JSON.stringify(unknown)}.${suggestName(unknown, caseNames.flat())}`
      throw new AgentEvalsError('no-match', message)
    }
    const shown = reports
      .map((one, index) => ({ ...one, names: names.filter((name) => caseNames[index]?.includes(name)) }))
      .filter((one) => names.length === 0 || one.names.length > 0)
    const blocks = shown.map((one) =>
      formatShown({ ...one, paint: painter(), callsOf: (folder) => listToolCalls(folder, dirname(resolve(one.file))) }),
    )
    print(blocks.flatMap((lines, index) => (index === 0 ? lines : ['', ...lines])))
    return 0
  },
}
