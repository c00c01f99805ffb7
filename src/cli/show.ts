import { parseArgs } from 'node:util'
import { AgentEvalsError } from '../errors.ts'
import { suggestName } from '../documents/nearest-name.ts'
import { formatShown } from './format-shown.ts'
import { parseOwn } from './parse-own.ts'
import { readReportFile } from './read-report-file.ts'
import { painter, print } from './terminal.ts'
import type { Command } from './command.ts'

/** `agent-evals show REPORT [CASE]`: a report for reading. */
export const show: Command = {
  name: 'show',
  usage: 'REPORT [CASE...]',
  summary: 'Show what a report says: each case with its reason, or all that is known of one.',
  details: ['A case is named as in the report, by its name or id.'],
  async run(argv) {
    const { positionals } = parseOwn(() => parseArgs({ args: [...argv], allowPositionals: true, options: {} }))
    const [file, ...names] = positionals
    if (file === undefined) throw new AgentEvalsError('invalid-options', 'Name a report.')
    const { text, report } = readReportFile(file)

    const known = report.cases.flatMap(({ id, name }) => [name, ...(id === null ? [] : [id])])
    const unknown = names.find((name) => !known.includes(name))
    if (unknown !== undefined)
      throw new AgentEvalsError('no-match', `${file} has no case "${unknown}".${suggestName(unknown, known)}`)
    print(formatShown({ file, report, text, names, paint: painter() }))
    return 0
  },
}
