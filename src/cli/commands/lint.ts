import { resolve } from 'node:path'
import { pathFrom } from '../../packages/package-root.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import { plural, toPrintableLine } from '../../lib/text.ts'
import { describeNoEffect } from '../../formats/describe-issues.ts'
import { findIssues, type Findings } from '../lint/find-issues.ts'
import { describeNothing, findProject, narrow, searchFolder } from '../find/search.ts'
import { flagHelp, readFlags, type Command } from '../flags.ts'
import { hasUnknownCases, pruneRecordings } from '../lint/recordings.ts'
import { formatTable } from '../../report/summary/table.ts'
import { painter, print, printError, printJson, type Paint } from '../../report/summary/terminal.ts'
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
    const [folder = '.', ...more] = positionals
    if (more.length > 0) throw new AgentEvalsError('invalid-options', `Expected one folder, got ${more.length + 1}.`)
    const project = findProject(resolve(folder))
    // Recordings are those of the complete project.
    const within = values.prune === true ? project.root : project.within
    const loaded = await searchFolder(project.root, process.env, { config: values['no-config'] !== true })
    const part = narrow(loaded, within)
    const notes = part.notes.map(({ message }) => message)
    const before = await findIssues(loaded, within)
    if (before.files === 0 && before.issues.length === 0)
      throw new AgentEvalsError(
        'no-match',
        [describeNothing(part), ...notes, ...(values.verbose === true ? part.places : [])].join('\n'),
      )

    const removed = values.prune === true ? before.packages.flatMap(pruneRecordings) : []
    const found = removed.length === 0 ? before : await findIssues(loaded, within)
    if (values.prune === true && before.packages.some(({ suites }) => hasUnknownCases(suites)))
      printError(
        'agent-evals lint: no recording was removed from packages with errors, because their cases are unknown.',
      )
    const harmless = found.issues.filter(({ noEffect }) => noEffect === true)
    const issues = found.issues.filter(({ noEffect }) => noEffect !== true)
    const shown = { ...found, issues }
    if (values.json === true) printJson({ ...toJson(shown, removed, notes), no_effect: harmless.map(placeOf) })
    else {
      const lines = [...notesApart(notes, found), ...describeNoEffect(process.cwd(), harmless, values.verbose === true)]
      print(format(shown, removed, lines, painter()))
    }
    return count(found.issues, 'error') > 0 ? 1 : 0
  },
}

// What concerns one suite is reported at it.
function notesApart(notes: readonly string[], { issues }: Findings): readonly string[] {
  return notes.filter((note) => issues.every(({ message }) => message !== note))
}

function placeOf({ file, line, field, message }: Issue): object {
  return { file: nameOf(file), line, field, message }
}

function toJson(
  { issues, cases, tests, files }: Findings,
  removed: readonly string[],
  notes: readonly string[],
): object {
  return {
    version: 1,
    files,
    cases,
    tests,
    errors: count(issues, 'error'),
    warnings: count(issues, 'warning'),
    issues: issues.map(({ file, line, column, severity, code, field, message }) => ({
      file: nameOf(file),
      line,
      column,
      severity,
      code,
      field,
      message,
    })),
    notes,
    removed: removed.map(nameOf),
  }
}

function format(
  { issues, cases, tests, files }: Findings,
  removed: readonly string[],
  notes: readonly string[],
  paint: Paint,
): readonly string[] {
  const rows = issues.map(({ file, line, column, severity, code, field, message }) => [
    `${toPrintableLine(nameOf(file))}${paint('dim', `:${line}:${column}`)}`,
    severity === 'error' ? paint('red', 'error') : paint('yellow', 'warning'),
    `${field === '' ? '' : `${toPrintableLine(field)}: `}${toPrintableLine(message)} ${paint('dim', code)}`,
  ])
  const [errors, warnings] = [count(issues, 'error'), count(issues, 'warning')]
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
