// The table of docs/figures.md. Nobody writes it: what a bench measures is told by its first line, and what it has
// measured by its rows in bench/figures.json, which a run with KEEP=1 replaces.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

const ROWS = new URL('../figures.json', import.meta.url)
const PAGE = new URL('../../docs/figures.md', import.meta.url)
const BENCHES = new URL('../', import.meta.url)
const RUNNER = 'run.mjs'
const MARKS = ['<!-- figures -->', '<!-- /figures -->']
const HEAD = '| figure | measured | target | reached |\n|---|---|---|---|\n'

/** The names of all benches. */
export function benchNames() {
  return readdirSync(BENCHES)
    .filter((file) => file.endsWith('.mjs') && file !== RUNNER)
    .map((file) => file.slice(0, -'.mjs'.length))
    .toSorted()
}

/** The page with the benches that there are and the rows that they keep, between its two marks. */
export function withFigures(page, rows) {
  const [start, end] = MARKS.map((mark) => page.indexOf(mark))
  if (start === -1 || end === -1) throw new Error(`docs/figures.md has lost its marks ${MARKS.join(' and ')}.`)
  const table = [HEAD, ...benchNames().flatMap((name) => rowsOf(name, rows))].join('')
  return `${page.slice(0, start)}${MARKS[0]}\n\n${machinesOf(rows)}\n\n${table}\n${page.slice(end)}`
}

/** What a bench measures, then what it has measured. */
function rowsOf(name, rows) {
  const [first] = readFileSync(new URL(`${name}.mjs`, BENCHES), 'utf8').split('\n')
  if (!/^\/\/ .+\.$/.test(first)) throw new Error(`bench/${name}.mjs has to begin with one line of what it measures.`)
  const own = rows.filter(({ bench }) => bench === name)
  return [
    lineOfCells([`**\`${name}\`** ${first.slice('// '.length, -1)}`, '', '', '']),
    ...own.map(({ figure, measured, target, reached }) => lineOfCells([figure, measured, target, reached])),
  ]
}

/** Day and machine of the rows: once where all have the same, else with the benches of each. */
function machinesOf(rows) {
  const machines = [...new Set(rows.map(machineOf))]
  if (machines.length === 1) return `Measured on ${machines[0]}.`
  const lines = machines.map((machine) => {
    const own = rows.filter((row) => machineOf(row) === machine)
    return `- Measured on ${machine}: ${[...new Set(own.map(({ bench }) => `\`${bench}\``))].join(', ')}`
  })
  return lines.join('\n')
}

function machineOf({ when }) {
  return when.replace(/, load .*/, '')
}

function lineOfCells(cells) {
  return `| ${cells.map(oneCell).join(' | ')} |\n`
}

/** Puts what a bench has measured in the place of its rows, in the file of rows and in the page. */
export function keepFigures({ name, at, machine, figures }) {
  const rows = JSON.parse(readFileSync(ROWS, 'utf8'))
  const first = rows.findIndex((row) => row.bench === name)
  const others = rows.filter((row) => row.bench !== name)
  const load = `load ${machine.load_before.toFixed(1)} to ${machine.load_after.toFixed(1)}`
  const when = `${at.slice(0, 10)}, ${machine.cores} cores, Node ${machine.node.slice(1)}, ${load}`
  const own = figures.map((figure) => ({ ...rowOf(name, figure), when }))
  others.splice(first === -1 ? others.length : first, 0, ...own)
  writeFileSync(ROWS, `${JSON.stringify(others, null, 2)}\n`)
  writeFileSync(PAGE, withFigures(readFileSync(PAGE, 'utf8'), others))
}

function rowOf(bench, { what, value, unit, reach }) {
  const measured = `${format(value)} ${unit}`
  if (reach === null) return { bench, figure: what, measured, target: 'none', reached: 'n/a' }
  return { bench, figure: what, measured, target: `${reach} ${unit}`, reached: value > reach ? 'no' : 'yes' }
}

/** A measured value with three digits that count, so that what just misses a target does not look as if it met it. */
export function format(value) {
  const digits = Math.abs(value) < 100 ? Number(value.toPrecision(3)) : Math.round(value)
  return digits.toLocaleString('en-US', { maximumFractionDigits: 6 })
}

function oneCell(text) {
  return text.replaceAll('|', String.raw`\|`).replaceAll(/\s+/g, ' ')
}
