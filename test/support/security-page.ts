import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { REPOSITORY } from './repository.ts'

const PAGE = join(REPOSITORY, 'SECURITY.md')

/** A row of a table: what it is about, and what came of it in each column. */
export type OutcomeRow = readonly [what: string, ...outcomes: string[]]

/**
 * Compares outcomes with the table of SECURITY.md that has this name. `vitest -u` writes the table anew: the page holds
 * what the tests see.
 */
export async function expectOutcomes(name: string, heads: OutcomeRow, rows: readonly OutcomeRow[]): Promise<void> {
  const [start, end] = [`<!-- outcomes: ${name} -->\n\n`, '\n\n<!-- end -->']
  const page = await readFile(PAGE, 'utf8')
  const from = page.indexOf(start) + start.length
  const to = page.indexOf(end, from)
  if (from < start.length || to < from) throw new Error(`SECURITY.md has no table "${name}".`)
  const table = [heads, heads.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
  if (isUpdate()) return writeFile(PAGE, page.slice(0, from) + table + page.slice(to))
  expect(page.slice(from, to), `SECURITY.md differs from what the test saw; run it with -u to update it`).toBe(table)
}

/** What came of the sessions of each engine, by session: `passed`, or the error code. */
export function outcomesOf(runs: readonly EngineOutcomes[]): readonly OutcomeRow[] {
  const names = runs[0]?.cases.map(({ name }) => name).toSorted() ?? []
  return names.map((name) => [
    name.replace(/^(?:[a-z]\d?-|attack-)/, '').replaceAll('-', ' '),
    ...runs.map(({ cases }) => describeOutcome(cases.find((one) => one.name === name))),
  ])
}

/** How the sessions of one engine ended. */
export interface EngineOutcomes {
  readonly engine: string
  readonly cases: readonly EndedCase[]
}

interface EndedCase {
  readonly name: string
  readonly outcome: string
  readonly error_code: string | null
}

function describeOutcome(ended: EndedCase | undefined): string {
  if (ended === undefined) return '-'
  return ended.error_code === null ? ended.outcome : `${ended.outcome}: \`${ended.error_code}\``
}

function isUpdate(): boolean {
  return expect.getState().snapshotState.snapshotUpdateState === 'all'
}
