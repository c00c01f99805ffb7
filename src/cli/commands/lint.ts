import { resolve } from 'node:path'
import { pathFrom } from '../../packages/package-root.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import { plural, toPrintableLine } from '../../lib/text.ts'
import { describeNoEffect } from '../../formats/describe-issues.ts'
import { findIssues } from '../lint/find-issues.ts'
import { describeNothing, findProject, narrow, searchFolder } from '../find/search.ts'
import { flagHelp, readFlags, type Command } from '../flags.ts'
import { hasUnknownCases, pruneRecordings } from '../lint/recordings.ts'
import { formatTable } from '../../report/summary/table.ts'
import { painter, print, printError, printJson } from '../../report/summary/terminal.ts'
import type { Issue } from '../../lib/documents/document.ts'

const FLAGS = {
  prune: { type: 'boolean', help: 'delete recordings that no case uses' },
  verbose: { type: 'boolean', help: 'print every place where a field has no effect, and where evals were searched' },
  json: { type: 'boolean', help: 'print the findings as JSON' },
  'no-config': { type: 'boolean', help: 'do not load vitest.config, which is code of the folder' },
} as const

/** `agent-evals lint`: what is wrong, without asking a model. */
export const lint: Command = {
  name: 'lint',
  usage: '[folder] [options]',
  details: ['Each finding is file:line:column. Exit code: 1 when any is an error.', '', ...flagHelp(FLAGS)],
  async run(argv) {
    const { values, positionals } = readFlags(FLAGS, argv)
    const { prune = false, verbose = false, json = false } = values
    const [folder = '.', ...more] = positionals
    if (more.length > 0) throw new AgentEvalsError('invalid-options', `Expected one folder, got ${more.length + 1}.`)
    const project = findProject(resolve(folder))
    // Recordings are those of the complete project.
    const within = prune ? project.root : project.within
    const loaded = await searchFolder(project.root, process.env, { config: values['no-config'] !== true })
    const part = narrow(loaded, within)
    const notes = part.notes.map(({ message }) => message)
    const found = await findIssues(loaded, within)
    if (found.files === 0 && found.issues.length === 0)
      throw new AgentEvalsError(
        'no-match',
        [describeNothing(part), ...notes, ...(verbose ? part.places : [])].join('\n'),
      )

    const removed = prune ? found.packages.flatMap(pruneRecordings) : []
    if (prune && found.packages.some(({ suites }) => hasUnknownCases(suites)))
      printError(
        'agent-evals lint: no recording was removed from packages with errors, because their cases are unknown.',
      )
    const left = found.issues.filter(({ file }) => !removed.includes(file))
    const harmless = left.filter(({ noEffect }) => noEffect === true)
    const issues = left.filter(({ noEffect }) => noEffect !== true)
    const counts = { ...found, issues, errors: count(issues, 'error'), warnings: count(issues, 'warning') }
    if (json) printJson({ ...toJson(counts), notes, removed: removed.map(nameOf), no_effect: harmless.map(placeOf) })
    else {
      // What concerns one suite is reported at it.
      const ofNone = notes.filter((note) => left.every(({ message }) => message !== note))
      const remarks = [...ofNone, ...describeNoEffect(process.cwd(), harmless, verbose)]
      print(format(counts, removed, remarks))
    }
    return counts.errors > 0 ? 1 : 0
  },
}

/** What is printed of the findings. */
interface Counted {
  readonly issues: readonly Issue[]
  readonly errors: number
  readonly warnings: number
  readonly cases: number
  readonly tests: number
  readonly files: number
}

function placeOf({ file, line, field, message }: Issue): object {
  return { file: nameOf(file), line, field, message }
}

function toJson({ issues, errors, warnings, cases, tests, files }: Counted): object {
  const written = issues.map(({ file, line, column, severity, code, field, message }) => {
    return { file: nameOf(file), line, column, severity, code, field, message }
  })
  return { version: 1, files, cases, tests, errors, warnings, issues: written }
}

function format(
  { issues, errors, warnings, cases, tests, files }: Counted,
  removed: readonly string[],
  notes: readonly string[],
): readonly string[] {
  const paint = painter()
  const rows = issues.map(({ file, line, column, severity, code, field, message }) => [
    `${toPrintableLine(nameOf(file))}${paint('dim', `:${line}:${column}`)}`,
    severity === 'error' ? paint('red', 'error') : paint('yellow', 'warning'),
    `${field === '' ? '' : `${toPrintableLine(field)}: `}${toPrintableLine(message)} ${paint('dim', code)}`,
  ])
  const looked = `${plural(cases, 'case')} and ${plural(tests, 'free test')} in ${plural(files, 'file')}`
  const verdict =
    errors > 0
      ? paint('red', `✗ ${plural(errors, 'error')}, ${plural(warnings, 'warning')}`)
      : warnings > 0
        ? paint('yellow', `! ${plural(warnings, 'warning')}`)
        : paint('green', '✓ nothing wrong')
  return [
    ...(rows.length === 0 ? [] : [...formatTable(rows), '']),
    ...notes.map((note) => paint('yellow', `note: ${toPrintableLine(note)}`)),
    ...removed.map((file) => `removed ${toPrintableLine(nameOf(file))}`),
    `${verdict} ${paint('dim', `(${looked})`)}`,
  ]
}

function count(issues: readonly Issue[], severity: Issue['severity']): number {
  return issues.filter((issue) => issue.severity === severity).length
}

function nameOf(file: string): string {
  return pathFrom(process.cwd(), file) || '.'
}
