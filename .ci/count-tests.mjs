// Closes a run of several steps with the line `N passed, N failed`, and exits with the first exit code that is not 0.
// Arguments are triples: name of a step, its exit code, and its JSON report of Vitest, or `-` for a step without one.
import { readFileSync } from 'node:fs'

const argument = process.argv.slice(2)
const steps = Array.from({ length: argument.length / 3 }, (_, index) => argument.slice(index * 3, index * 3 + 3))
const outcomes = new Map()
let failed = 0

for (const [name, status, report] of steps) {
  const failures = report === '-' ? 0 : readReport(report)
  // The install, a crash, or an error outside all tests.
  const silent = Number(status) !== 0 && failures === 0 ? 1 : 0
  if (silent === 1) console.error(`\`${name}\` exited with ${status} although no test failed.`)
  failed += failures + silent
}

const count = (outcome) => [...outcomes.values()].filter((one) => one === outcome).length
if (count('skipped') > 0) console.log(`${count('skipped')} skipped`)
console.log(`${count('passed')} passed, ${failed} failed`)
const broken = steps.map(([, status]) => Number(status)).find((status) => status !== 0)
process.exitCode = broken ?? (failed > 0 ? 1 : 0)

/** Adds the tests of a report to the outcomes, and returns how many failed. A test that one step leaves out is another's. */
function readReport(path) {
  const report = parse(path)
  if (report === null) return 1
  let failures = 0
  for (const file of report.testResults) {
    const tests = file.assertionResults
    for (const { fullName, status } of tests) {
      const key = `${file.name}\0${fullName}`
      if (status === 'passed') outcomes.set(key, 'passed')
      else if (status === 'failed') failures += 1
      else if (!outcomes.has(key)) outcomes.set(key, 'skipped')
    }
    // A file that failed before its tests were known.
    if (file.status === 'failed' && !tests.some(({ status }) => status === 'failed')) failures += 1
  }
  return failures === 0 && !report.success ? 1 : failures
}

function parse(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    console.error(`No readable test report: ${error.message}`)
    return null
  }
}
