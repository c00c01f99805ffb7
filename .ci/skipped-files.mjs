// Prints the test files of a JSON report of Vitest in which a test skipped itself, such as one that needs a sandbox.
import { readFileSync } from 'node:fs'

/** Left out by the command of the report, not by what the machine lacks. */
const LEFT_OUT = new Set(['slow', 'major'])

const { testResults } = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const skipsItself = ({ status, tags = [] }) =>
  status !== 'passed' && status !== 'failed' && !tags.some((tag) => LEFT_OUT.has(tag))
for (const { name, assertionResults } of testResults) if (assertionResults.some(skipsItself)) console.log(name)
