import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { REPOSITORY } from '../support/repository.ts'

interface Figures {
  readonly tableOf: (rows: readonly Row[]) => string
  readonly tableIn: (page: string) => string
}

interface Row {
  readonly bench: string
  readonly figure: string
  readonly measured: string
  readonly target: string
  readonly reached: string
}

const { tableOf, tableIn } = (await import(join(REPOSITORY, 'bench/shared/figures.mjs'))) as Figures
const rows = JSON.parse(readFileSync(join(REPOSITORY, 'bench/figures.json'), 'utf8')) as readonly Row[]
const page = readFileSync(join(REPOSITORY, 'docs/figures.md'), 'utf8')

test('the page of benchmarks shows the rows that the benches keep', () => {
  expect(tableIn(page)).toBe(tableOf(rows))
})

test('every row of every table of the page has the cells of its head', () => {
  const tables = page.split(/\n\n/).filter((block) => block.startsWith('|'))
  expect(tables.length).toBeGreaterThan(1)
  for (const table of tables) {
    const cells = table
      .trim()
      .split('\n')
      .map((line) => line.split(/(?<!\\)\|/).length)
    expect(new Set(cells).size, table).toBe(1)
  }
})

test('every row is of a bench that the page lists', () => {
  for (const { bench } of rows) expect(page).toContain(`| \`${bench}\` |`)
})
