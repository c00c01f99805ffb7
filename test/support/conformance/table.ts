import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ReportCase } from '../../../src/report/report.ts'
import { REPOSITORY } from '../repository.ts'

/** A table: a row for each story, a column for each engine. */
export interface ConformanceTable {
  readonly engines: readonly string[]
  readonly rows: readonly { readonly title: string; readonly cells: readonly string[] }[]
}

/** How a case ended, as a cell of the table: the verdict, and the code of the error or the reason for which it was skipped. */
export function endOf({ verdict, error_code, skip_reason }: ReportCase): string {
  if (skip_reason !== null) return `${verdict}: ${skip_reason}`
  return [verdict, ...(error_code === null ? [] : [error_code])].join(' ')
}

/** A table as plain text. */
export function formatTable(name: string, { engines, rows }: ConformanceTable): string {
  const lines = [[name, ...engines], ...rows.map(({ title, cells }) => [title, ...cells])]
  const widths = [name, ...engines].map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** The table of docs/conformance.md whose first heading is `name`, with the columns of these engines alone. */
export async function readDocTable(name: string, engines: readonly string[]): Promise<ConformanceTable> {
  const text = await readFile(join(REPOSITORY, 'docs/conformance.md'), 'utf8')
  const lines = text.split('\n').map(cellsOf)
  const start = lines.findIndex(([first]) => first === name)
  const end = lines.findIndex((cells, index) => index > start && cells.length === 0)
  const [heads = [], , ...rows] = start < 0 ? [] : lines.slice(start, end < 0 ? undefined : end)
  const columns = engines.map((engine) => heads.indexOf(engine))
  return {
    engines,
    rows: rows.map(([title = '', ...cells]) => ({ title, cells: columns.map((at) => cells[at - 1] ?? 'no column') })),
  }
}

function cellsOf(line: string): readonly string[] {
  if (!line.startsWith('|')) return []
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll('`', ''))
}
