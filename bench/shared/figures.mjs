// The table of docs/figures.md. Its rows are in bench/figures.json; a bench that was run replaces its own.
import { readFileSync, writeFileSync } from 'node:fs'

const ROWS = new URL('../figures.json', import.meta.url)
const PAGE = new URL('../../docs/figures.md', import.meta.url)
const HEAD = '| figure | measured | target | reached |\n|---|---|---|---|\n'

/** The table of these rows, as the page has it. */
export function tableOf(rows) {
  return `${HEAD}${rows.map(lineOf).join('')}`
}

function lineOf({ figure, measured, target, reached }) {
  return `| ${[figure, measured, target, reached].map(oneCell).join(' | ')} |\n`
}

/** The table that the page has. */
export function tableIn(page) {
  const start = page.indexOf(HEAD)
  if (start === -1) throw new Error('docs/figures.md has lost its table of figures.')
  const end = page.indexOf('\n\n', start)
  return page.slice(start, end === -1 ? undefined : end + 1)
}

/** Puts what a bench has measured in the place of its rows, in the file of rows and in the page. */
export function keepFigures(bench, figures) {
  const rows = JSON.parse(readFileSync(ROWS, 'utf8'))
  const at = rows.findIndex((row) => row.bench === bench)
  const others = rows.filter((row) => row.bench !== bench)
  others.splice(at === -1 ? others.length : at, 0, ...figures.map((figure) => rowOf(bench, figure)))
  writeFileSync(ROWS, `${JSON.stringify(others, null, 2)}\n`)
  const page = readFileSync(PAGE, 'utf8')
  writeFileSync(
    PAGE,
    page.replace(tableIn(page), () => tableOf(others)),
  )
}

function rowOf(bench, { what, value, unit, reach }) {
  const measured = `${Math.round(value * 100) / 100} ${unit}`
  if (reach === null) return { bench, figure: what, measured, target: 'none', reached: 'n/a' }
  return { bench, figure: what, measured, target: `${reach} ${unit}`, reached: value > reach ? 'no' : 'yes' }
}

function oneCell(text) {
  return text.replaceAll('|', String.raw`\|`).replaceAll(/\s+/g, ' ')
}
