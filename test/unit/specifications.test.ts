import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { REPOSITORY } from '../support/repository.ts'

const PAGE = readFileSync(join(REPOSITORY, 'docs/specifications.md'), 'utf8')
const TABLES = PAGE.split('\n\n').filter((block) => block.startsWith('|'))
const ROWS = TABLES.flatMap((table) => table.trim().split('\n').slice(2).map(cellsOf))

function cellsOf(row: string): readonly string[] {
  return row.split(' | ').map((cell) => cell.replaceAll(/^\| | \|$/g, ''))
}

/** A test that a row names: its file, and its title or that of its group. */
function testOf(cell: string): { readonly file: string; readonly title: string } | null {
  const { file = '', title = '' } = /(?:^|\. )`(?<file>[\w/-]+\.test\.ts)` (?<title>.+)$/.exec(cell)?.groups ?? {}
  return file === '' ? null : { file: join(REPOSITORY, 'test', file), title }
}

function hasTitle(text: string, title: string): boolean {
  const [beginning = '', end] = title.split('…')
  return ["'", '"', '`'].some((quote) => text.includes(`${quote}${beginning}${end === undefined ? quote : ''}`))
}

test('each of the three specifications has a table, whose rows have a section, a requirement and what shows it', () => {
  expect(TABLES).toHaveLength(3)
  expect(ROWS.length).toBeGreaterThan(250)
  expect(ROWS.filter((cells) => cells.length !== 3 || cells.includes(''))).toEqual([])
})

test('no requirement is there twice', () => {
  const keys = TABLES.map((table) => table.split('\n').map((row) => cellsOf(row).slice(0, 2).join(': ')))
  expect(keys.flatMap((own) => own.filter((key, index) => own.indexOf(key) !== index))).toEqual([])
})

test('each row names a test that there is, or the page that says what is different', () => {
  const unshown = ROWS.filter(([, , shown = '']) => {
    const named = testOf(shown)
    if (named === null) return !/\]\([\w-]+\.md[#)]/.test(shown)
    return !existsSync(named.file) || !hasTitle(readFileSync(named.file, 'utf8'), named.title)
  })
  expect(unshown).toEqual([])
})
