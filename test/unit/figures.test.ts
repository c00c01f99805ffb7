import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { REPOSITORY } from '../support/repository.ts'

interface Figures {
  readonly withFigures: (page: string, rows: readonly Row[]) => string
  readonly benchNames: () => readonly string[]
  readonly format: (value: number) => string
}

interface Started {
  readonly start: (
    program: string,
    words: readonly string[],
    cwd: string,
  ) => { readonly ended: Promise<{ output: string }> }
}

interface Row {
  readonly bench: string
  /** Given by the run that has measured it. */
  readonly when: string
}

const { benchNames, format, withFigures } = (await import(join(REPOSITORY, 'bench/shared/figures.mjs'))) as Figures
const rows = JSON.parse(readFileSync(join(REPOSITORY, 'bench/figures.json'), 'utf8')) as readonly Row[]
const page = readFileSync(join(REPOSITORY, 'docs/figures.md'), 'utf8')

// Written anew by `npx vitest run --project unit test/unit/figures.test.ts -u`.
test('the page of benchmarks shows the benches that there are, and the rows that they keep', async () => {
  await expect(withFigures(page, rows)).toMatchFileSnapshot(join(REPOSITORY, 'docs/figures.md'))
  expect(benchNames().length).toBeGreaterThan(10)
})

test('no row is written by hand: each says when and where its bench ran', () => {
  for (const { when } of rows) expect(when).toMatch(/^\d{4}-\d\d-\d\d, \d+ cores, Node [\d.]+, load [\d.]+ to [\d.]+$/)
})

test('the README has no figure of a bench: these change with every run', () => {
  const readme = readFileSync(join(REPOSITORY, 'README.md'), 'utf8')
  expect(readme.match(/\b\d[\d.,]*\s?(?:ms|MB|x|s)\b/g)).toBeNull()
})

test('what a bench starts takes no result over', async () => {
  const { start } = (await import(join(REPOSITORY, 'bench/shared/project.mjs'))) as Started
  const { ended } = start(process.execPath, ['-p', 'process.env.AGENT_EVALS_CACHE'], tmpdir())
  expect((await ended).output.trim()).toBe('0')
})

test('a value just above a target does not look as if it reached it', () => {
  expect([0.0204, 1.204, 104.4, 1234.5].map(format)).toEqual(['0.0204', '1.2', '104', '1,235'])
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

test('every row is of a bench that there is', () => {
  for (const { bench } of rows) expect(benchNames()).toContain(bench)
})
