// Closes a run of several steps with the line `N passed, N failed`, and exits with the first exit code that is not 0.
// Arguments are triples: name of a step, its exit code, and its JSON report of Vitest, or `-` for a step without one.
import { readFileSync } from 'node:fs'

const argument = process.argv.slice(2)
const steps = Array.from({ length: argument.length / 3 }, (_, index) => argument.slice(index * 3, index * 3 + 3))
const outcomes = new Map()
/** What failed and why, to be read right above the count. */
const failed = []
/** Of a test in several reports: a failure counts, wherever it was; what one step skips is another's. */
const WEIGHTS = { skipped: 0, passed: 1, failed: 2 }

for (const [name, status, report] of steps) {
  const failures = report === '-' ? 0 : readReport(name, report)
  // The install, a crash, or an error outside all tests.
  if (Number(status) === 0 || failures > 0) continue
  console.error(`\`${name}\` exited with ${status} although no test failed.`)
  outcomes.set(name, 'failed')
}

for (const line of failed) console.log(line)
const count = (outcome) => [...outcomes.values()].filter((one) => one === outcome).length
if (count('skipped') > 0) console.log(`${count('skipped')} skipped`)
console.log(`${count('passed')} passed, ${count('failed')} failed`)
const broken = steps.map(([, status]) => Number(status)).find((status) => status !== 0)
process.exitCode = broken ?? (count('failed') > 0 ? 1 : 0)

/** Adds the tests of a report to the outcomes, and returns how many failed. */
function readReport(step, path) {
  const report = parse(path)
  if (report === null) {
    outcomes.set(step, 'failed')
    return 1
  }
  let failures = 0
  const add = (key, status) => {
    const outcome = status === 'passed' || status === 'failed' ? status : 'skipped'
    if (outcome === 'failed') failures += 1
    if (WEIGHTS[outcome] > (WEIGHTS[outcomes.get(key)] ?? -1)) outcomes.set(key, outcome)
  }
  for (const { name, status, message, assertionResults: tests } of report.testResults) {
    for (const test of tests) {
      add(`${name}\0${test.fullName}`, test.status)
      if (test.status === 'failed') failed.push(`FAILED ${name}: ${test.fullName}\n${messageOf(test)}`)
    }
    // A file that failed before its tests were known.
    if (status === 'failed' && !tests.some((test) => test.status === 'failed')) {
      add(name, 'failed')
      failed.push(`FAILED ${name}: ${shorten(message)}`)
    }
  }
  if (failures === 0 && !report.success) add(step, 'failed')
  return failures
}

function messageOf({ failureMessages = [] }) {
  return failureMessages.map((message) => `  ${shorten(message)}`).join('\n')
}

function shorten(message = '') {
  return message.length <= 1500 ? message : `${message.slice(0, 1500)}...`
}

function parse(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    console.error(`No readable test report: ${error.message}`)
    return null
  }
}
