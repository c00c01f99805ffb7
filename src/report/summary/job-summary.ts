import { formatPlace, toPrintableLine } from '../../lib/text.ts'
import { appendFileSync } from 'node:fs'
import { formatSummary, type SummaryReport } from './summary.ts'
import { messageOf } from '../../lib/errors.ts'
import { askGitNow, gitPaths } from '../../sandbox/process/git.ts'
import type { ReportCase } from '../report.ts'

/**
 * Adds what a run found to the page of its CI job, where there is one.
 *
 * @returns why that was not possible, in one sentence; `null` when it was, or there is no such page.
 */
export function appendJobSummary(
  reports: readonly SummaryReport[],
  environment: Readonly<Record<string, string | undefined>>,
  root: string,
): string | null {
  const file = environment['GITHUB_STEP_SUMMARY']
  if (file === undefined || file === '' || reports.every(({ report }) => report.cases.length === 0)) return null
  const text = formatJobSummary(reports, changedRecordings(root, environment['GITHUB_BASE_REF']))
  try {
    appendFileSync(file, text)
    return null
  } catch (error) {
    return `The job summary was not written to ${file}: ${messageOf(error)}`
  }
}

/**
 * The summary as Markdown: every case that did not pass with its reason, the recordings that a pull request changes, and
 * below them the lines of the terminal.
 *
 * @param changed the recordings; `null` where they are not known.
 */
export function formatJobSummary(reports: readonly SummaryReport[], changed: readonly string[] | null = []): string {
  const cases = reports.flatMap(({ report }) => report.cases)
  if (cases.length === 0) return ''
  const shown = cases.filter(({ outcome }) => outcome !== 'passed').toSorted((a, b) => rank(a) - rank(b))
  const rows = shown.slice(0, MOST_ROWS).map(formatRow)
  const more = shown.length - rows.length
  return [
    '### Agent evals',
    '',
    ...(rows.length === 0 ? [] : ['| outcome | case | where | why |', '|---|---|---|---|', ...rows, '']),
    ...(more > 0 ? [`And ${more} more, see the report.`, ''] : []),
    ...formatChanged(changed),
    '```text',
    // A fence inside would end this one.
    ...formatSummary(reports, { color: false }).map((line) => line.replaceAll('```', "'''")),
    '```',
    '',
  ].join('\n')
}

// A recording is the claim of whoever commits it: a reviewer must see which ones a pull request changes.
function changedRecordings(root: string, base: string | undefined): readonly string[] | null {
  if (base === undefined || base === '') return []
  const words = ['diff', '--name-only', '-z', '--no-renames', '--no-ext-diff', '--no-textconv']
  const found = askGitNow(root, [...words, `origin/${base}...HEAD`, '--', ':(top,glob)**/evals/recordings/**'])
  return found === null ? null : gitPaths(found)
}

function formatChanged(changed: readonly string[] | null): readonly string[] {
  if (changed === null)
    return ['Which recordings this pull request changes is unknown: fetch its base branch too (`fetch-depth: 0`).', '']
  if (changed.length === 0) return []
  const more = changed.length - MOST_ROWS
  return [
    `Recordings changed in this pull request: ${changed.length}. Review what the model is said to have answered.`,
    '',
    ...changed.slice(0, MOST_ROWS).map((path) => `- ${cell(path)}`),
    ...(more > 0 ? [`- and ${more} more`] : []),
    '',
  ]
}

function formatRow(one: ReportCase): string {
  const { outcome, name, file, line, column, error, skip_reason: reason, quarantined } = one
  const state = quarantined === undefined ? '' : ', in quarantine'
  const why = (error ?? reason ?? '').split('\n')[0] ?? ''
  return `| ${outcome}${state} | ${cell(name)} | ${cell(formatPlace({ file, line, column }))} | ${cell(why.slice(0, MOST_CHARACTERS))} |`
}

function rank({ outcome }: ReportCase): number {
  return ['failed', 'errored', 'skipped'].indexOf(outcome)
}

// Names and reasons come from cases and agents: none of them is markup.
function cell(text: string): string {
  return toPrintableLine(text).replaceAll(/[\\`*_{}[\]<>|~#&@!]/g, (character) => `&#${character.codePointAt(0)};`)
}

const MOST_ROWS = 100
const MOST_CHARACTERS = 300
