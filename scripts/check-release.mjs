// Checks that the package in the current folder may be released: node scripts/check-release.mjs v1.2.3
import { readFileSync } from 'node:fs'

const [tag = ''] = process.argv.slice(2)
const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
const changelog = readFileSync('CHANGELOG.md', 'utf8')

const problems = [
  ...['repository', 'homepage', 'bugs']
    .filter((field) => manifest[field] === undefined)
    .map((field) => `package.json has no "${field}". The owner of the package names it; add it before a release.`),
  ...(tag === `v${manifest.version}`
    ? []
    : [`The tag is "${tag}", and package.json has version ${manifest.version}. Tag v${manifest.version}.`]),
  ...(changelog.split('\n').includes(`## ${manifest.version}`)
    ? []
    : [`CHANGELOG.md has no section "## ${manifest.version}". Add it.`]),
]
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exit(1)
