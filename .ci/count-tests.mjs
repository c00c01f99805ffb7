// Prints `N passed, N failed` as the last line for a JSON report of Vitest, and exits as the test command did.
import { readFileSync } from 'node:fs'

const [report, status] = process.argv.slice(2)
const exitCode = Number(status)
const counts = count(read(report))

// Something failed that is no test: the install, a crash, an error outside all tests.
if (exitCode !== 0 && counts.failed === 0) {
  console.error(`The test command exited with ${exitCode} although no test failed.`)
  counts.failed = 1
}
if (counts.skipped > 0) console.log(`${counts.skipped} skipped`)
console.log(`${counts.passed} passed, ${counts.failed} failed`)
process.exitCode = exitCode === 0 && counts.failed > 0 ? 1 : exitCode

function read(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    console.error(`The tests left no readable report: ${error.message}`)
    return null
  }
}

/** A file that failed before its tests were known counts as one failed test. */
function count(found) {
  if (found === null) return { passed: 0, failed: 1, skipped: 0 }
  const tests = found.testResults.flatMap((file) => file.assertionResults)
  const broken = found.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  )
  const passed = tests.filter((test) => test.status === 'passed').length
  const failed = tests.filter((test) => test.status === 'failed').length + broken.length
  const erroredOutside = found.success || failed > 0 ? 0 : 1
  return { passed, failed: failed + erroredOutside, skipped: tests.length + broken.length - passed - failed }
}
