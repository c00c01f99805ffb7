// Runs every bench of this folder, or those that are named, and keeps what they measured in results/<name>.json; with
// KEEP=1 also in figures.json and in the table of docs/figures.md.
import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { benchNames, format, keepFigures } from './shared/figures.mjs'

// Longer than the slowest bench takes on a busy machine.
const DEADLINE_MINUTES = 60
const HERE = new URL('.', import.meta.url)

const known = benchNames()
const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !known.includes(name))
if (unknown.length > 0) {
  console.error(`There is no bench ${unknown.join(', ')}. There are: ${known.join(', ')}.`)
  process.exit(2)
}

mkdirSync(new URL('results/', HERE), { recursive: true })
for (const name of asked.length > 0 ? asked : known) {
  const before = loadavg()[0]
  const { bench } = await import(new URL(`${name}.mjs`, HERE).href)
  const figures = await Promise.race([bench(), deadline()]).catch((error) => {
    console.error(`${name} could not be measured: ${error instanceof Error ? error.message : String(error)}`)
    return []
  })
  const machine = {
    cores: availableParallelism(),
    node: process.version,
    platform: `${process.platform}-${process.arch}`,
    load_before: before,
    load_after: loadavg()[0],
  }
  const result = { name, at: new Date().toISOString(), machine, figures }
  if (figures.length === 0) process.exitCode = 1
  else if (process.env.KEEP === '1') keepFigures(result)
  writeFileSync(new URL(`results/${name}.json`, HERE), `${JSON.stringify(result, null, 2)}\n`)
  console.log(`${name} (${machine.cores} cores, load ${before.toFixed(1)} to ${machine.load_after.toFixed(1)})`)
  for (const figure of figures) console.log(`  ${describe(figure)}`)
  if (figures.some(isMissed)) process.exitCode = 1
}

// What a bench that passed its deadline has started would keep this process alive.
process.exit()

async function deadline() {
  await setTimeout(DEADLINE_MINUTES * 60_000, null, { ref: false })
  throw new Error(`it was not over after ${DEADLINE_MINUTES} minutes`)
}

/** A figure is `what`, `value`, `unit`, and `reach`: what it must not exceed, or null where it only stands for scale. */
function describe(figure) {
  const { what, value, unit, reach } = figure
  const goal = reach === null ? '' : ` (reach ${reach}${isMissed(figure) ? ': MISSED' : ''})`
  return `${what}: ${format(value)} ${unit}${goal}`
}

function isMissed({ value, reach }) {
  return reach !== null && value > reach
}
