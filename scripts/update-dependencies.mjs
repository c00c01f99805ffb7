// Sets every dependency of the current folder to its latest version, exactly, and prints what changed as a Markdown table.
// The major versions of HELD decide what users and tests run on, so a person raises them.
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const HELD = new Set(['@types/node', 'vitest', '@vitest/ui'])

const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
// It exits with 1 when something is outdated.
const { stdout } = spawnSync('npm', ['outdated', '--json'], { encoding: 'utf8' })
const outdated = Object.entries(JSON.parse(stdout || '{}'))
const updates = outdated
  .map(([name, { current, latest }]) => ({ name, current, latest }))
  .filter(({ name, current, latest }) => !HELD.has(name) || majorOf(current) === majorOf(latest))

for (const [field, flag] of [
  ['dependencies', '--save'],
  ['devDependencies', '--save-dev'],
]) {
  const own = updates.filter(({ name }) => manifest[field]?.[name] !== undefined)
  if (own.length === 0) continue
  const packages = own.map(({ name, latest }) => `${name}@${latest}`)
  execFileSync('npm', ['install', flag, '--save-exact', '--ignore-scripts', ...packages], { stdio: ['ignore', 2, 2] })
}

if (updates.length > 0) {
  console.log('| package | from | to |\n|---|---|---|')
  for (const { name, current, latest } of updates) console.log(`| ${name} | ${current} | ${latest} |`)
}

function majorOf(version) {
  return version?.split('.')[0]
}
