import { describeMiss, shorten } from '../checks/contains.ts'
import { keptParts, type Output } from './output.ts'
import { comparedPart, matchesPartially } from './partial-json.ts'
import type { Assertion } from '../suites/tests/test-suite.ts'

/** How an expectation came out, with both sides for a diff. */
export type AssertFinding =
  | { readonly outcome: 'passed'; readonly message: '' }
  | { readonly outcome: 'failed'; readonly message: string; readonly expected: string; readonly actual: string }

/** Checks one expectation. What was cut away from a huge output can hold anything, so nothing is shown to be absent. */
export function checkOutput(assertion: Assertion, output: Output): AssertFinding {
  switch (assertion.kind) {
    case 'exit-code':
      return checkExitCode(assertion.value, output)
    case 'stdout-json':
      return checkJson(assertion.value, output)
    case 'not-contains':
      return checkAbsent(assertion.value, output)
    case 'stdout-contains':
      return checkPresent(assertion.value, 'stdout', output.stdout)
    case 'stderr-contains':
      return checkPresent(assertion.value, 'stderr', output.stderr)
    case 'contains':
      return checkPresent(assertion.value, 'the text', output.stdout)
    case 'error-contains':
      return checkPresent(assertion.value, 'the error', output.stderr)
  }
}

const PASSED: AssertFinding = { outcome: 'passed', message: '' }

function checkExitCode(value: number, { exitCode, signal }: Output): AssertFinding {
  if (exitCode === value) return PASSED
  const actual = exitCode === null ? `ended by ${signal ?? 'a signal'}` : String(exitCode)
  const hint = exitCode === 127 ? ': the shell did not find a command' : ''
  const message = `expected exit code ${value} but got ${actual}${hint}`
  return { outcome: 'failed', message, expected: String(value), actual }
}

function checkPresent(value: string, name: string, text: string): AssertFinding {
  const parts = keptParts(text)
  if (parts.some((part) => part.includes(value))) return PASSED
  const reason =
    parts.length > 1 ? `it does not in ${CUT}` : describeMiss(value, text).replace('output', name.replace('the ', ''))
  const message = `expected ${name} to contain ${JSON.stringify(value)} but ${reason}`
  return { outcome: 'failed', message, expected: value, actual: shorten(text) }
}

function checkAbsent(value: string, { stdout, stderr }: Output): AssertFinding {
  for (const [name, text] of Object.entries({ stdout, stderr })) {
    const parts = keptParts(text)
    const found = parts.find((part) => part.includes(value))
    if (found !== undefined) {
      const message = `expected the output not to contain ${JSON.stringify(value)} but ${name} does`
      return { outcome: 'failed', message, expected: `no ${JSON.stringify(value)}`, actual: linesWith(value, found) }
    }
    if (parts.length > 1) {
      const message = `expected the output not to contain ${JSON.stringify(value)}, which is unknown: ${name} is too long, and only ${CUT} were kept`
      return { outcome: 'failed', message, expected: `no ${JSON.stringify(value)}`, actual: shorten(text) }
    }
  }
  return PASSED
}

const CUT = 'its first and last 512 KiB'

function checkJson(
  value: Extract<Assertion, { kind: 'stdout-json' }>['value'],
  { json, stdout }: Output,
): AssertFinding {
  const expected = JSON.stringify(value, null, 2)
  if (json === undefined) {
    const what = stdout.trim() === '' ? 'there is no output' : 'it is not JSON as a whole'
    return { outcome: 'failed', message: `expected stdout to be JSON but ${what}`, expected, actual: shorten(stdout) }
  }
  if (matchesPartially(json, value)) return PASSED
  const actual = shorten(JSON.stringify(comparedPart(json, value), null, 2))
  return { outcome: 'failed', message: 'expected stdout to contain this JSON but it differs', expected, actual }
}

function linesWith(value: string, text: string): string {
  const at = text.indexOf(value)
  const start = text.lastIndexOf('\n', at) + 1
  const end = text.indexOf('\n', at + value.length)
  return shorten(text.slice(start, end === -1 ? undefined : end))
}
