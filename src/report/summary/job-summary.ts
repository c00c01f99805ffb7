import { formatPlace } from '../../texts.ts'
import { appendFileSync } from 'node:fs'
import { toPrintableLine } from '../../results/printable.ts'
import { formatSummary, type SummaryReport } from './summary.ts'
import { messageOf } from '../../errors.ts'
import type { ReportCase } from '../report.ts'

/**
 * Adds what a run found to the page of its CI job, where there is one.
 *
 * @returns why that was not possible, in one sentence; `null` when it was, or there is no such page.
 */
export function appendJobSummary(
  reports: readonly SummaryReport[],
  environment: Readonly<Record<string, string | undefined>>,
): string | null {
  const file = environment['GITHUB_STEP_SUMMARY']
  const text = formatJobSummary(reports)
  if (file === undefined || file === '' || text === '') return null
  try {
    appendFileSync(file, text)
    return null
  } catch (error) {
    return `The job summary was not written to ${file}: ${messageOf(error)}`
  }
}

/** The summary as Markdown: every case that did not pass with its reason, and below them the lines of the terminal. */
export function formatJobSummary(reports: readonly SummaryReport[]): string {
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
    '```text',
    // A fence inside would end this one.
    ...formatSummary(reports, { color: false }).map((line) => line.replaceAll('```', "'''")),
    '```',
    '',
  ].join('\n')
}

function formatRow({ outcome, name, file, line, column, error, skip_reason: reason }: ReportCase): string {
  const why = (error ?? reason ?? '').split('\n')[0] ?? ''
  return `| ${outcome} | ${cell(name)} | ${cell(formatPlace({ file, line, column }))} | ${cell(why.slice(0, MOST_CHARACTERS))} |`
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
