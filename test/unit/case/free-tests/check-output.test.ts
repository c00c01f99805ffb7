import { describe, expect, test } from 'vitest'
import { checkOutput, comparedPart, matchesPartially } from '../../../../src/case/free-tests/run-free-test.ts'
import { mergeAnswers } from '../../../../src/case/free-tests/hook-test.ts'
import { tryParseJson } from '../../../../src/lib/json.ts'
import type { Output } from '../../../../src/case/free-tests/script.ts'
import { BoundedText } from '../../../../src/sandbox/process/run-process.ts'
import type { Assertion } from '../../../../src/formats/free-tests/test-suite.ts'

const at = { line: 1, column: 1 }

function check(assertion: Omit<Assertion, 'at'>, output: Partial<Output> = {}): object {
  const whole = {
    exitCode: 0,
    signal: null,
    stdout: '',
    stderr: '',
    json: tryParseJson(output.stdout ?? ''),
    ...output,
  }
  return checkOutput({ ...assertion, at } as Assertion, whole)
}

const PASSED = { outcome: 'passed', message: '' }

describe('exit codes', () => {
  test('the code itself', () => {
    expect(check({ kind: 'exit-code', value: 3 }, { exitCode: 3 })).toEqual(PASSED)
    expect(check({ kind: 'exit-code', value: 0 }, { exitCode: 2 })).toEqual({
      outcome: 'failed',
      message: 'expected exit code 0 but got 2',
      expected: '0',
      actual: '2',
    })
  })

  test('a signal and a missing command are named', () => {
    expect(check({ kind: 'exit-code', value: 0 }, { exitCode: null, signal: 'SIGSEGV' })).toMatchObject({
      message: 'expected exit code 0 but got ended by SIGSEGV',
    })
    expect(check({ kind: 'exit-code', value: 0 }, { exitCode: 127 })).toMatchObject({
      message: 'expected exit code 0 but got 127: the shell did not find a command',
    })
  })
})

describe('texts', () => {
  test('each is looked for where it says', () => {
    const output = { stdout: 'out', stderr: 'err' }
    expect(check({ kind: 'stdout-contains', value: 'out' }, output)).toEqual(PASSED)
    expect(check({ kind: 'stderr-contains', value: 'err' }, output)).toEqual(PASSED)
    // The output itself is shown apart, once.
    expect(check({ kind: 'stdout-contains', value: 'err' }, output)).toEqual({
      outcome: 'failed',
      message: 'expected stdout to contain "err" but it does not',
    })
    expect(check({ kind: 'stderr-contains', value: 'ERR' }, output)).toMatchObject({
      message: 'expected stderr to contain "ERR" but it contains only "err"',
    })
  })

  test('not-contains looks at both, and shows the line', () => {
    expect(check({ kind: 'not-contains', value: 'no' }, { stdout: 'yes' })).toEqual(PASSED)
    expect(check({ kind: 'not-contains', value: 'no' }, { stderr: 'a\nb no c\nd' })).toEqual({
      outcome: 'failed',
      message: 'expected the output not to contain "no" but stderr does',
      expected: 'no "no"',
      actual: 'b no c',
    })
  })

  test('what was cut away is never taken for absent', () => {
    const text = new BoundedText()
    text.add(Buffer.alloc(3_000_000, 'x'))
    const stdout = text.toString()
    expect(check({ kind: 'not-contains', value: 'y' }, { stdout })).toMatchObject({ outcome: 'failed' })
    expect(check({ kind: 'stdout-contains', value: 'xx' }, { stdout })).toEqual(PASSED)
    expect(check({ kind: 'stdout-contains', value: 'y' }, { stdout })).toMatchObject({
      message: 'expected stdout to contain "y" but it does not in its first and last 512 KiB',
    })
  })
})

describe('JSON', () => {
  test('what is written must be found, and only that is compared', () => {
    const stdout = '{"a": {"b": 1, "c": 2}, "d": [1, {"e": 2, "f": 3}]}'
    expect(check({ kind: 'stdout-json', value: { a: { b: 1 }, d: [1, { e: 2 }] } }, { stdout })).toEqual(PASSED)
    expect(check({ kind: 'stdout-json', value: { a: { b: 2 } } }, { stdout })).toEqual({
      outcome: 'failed',
      message: 'expected stdout to contain this JSON but it differs',
      expected: '{\n  "a": {\n    "b": 2\n  }\n}',
      actual: '{\n  "a": {\n    "b": 1\n  }\n}',
    })
  })

  test('a text that is no JSON', () => {
    expect(check({ kind: 'stdout-json', value: {} }, { stdout: 'log\n{}' })).toMatchObject({
      message: 'expected stdout to be JSON but it is not JSON as a whole',
    })
    expect(check({ kind: 'stdout-json', value: {} })).toMatchObject({
      message: 'expected stdout to be JSON but there is no output',
    })
  })

  test.for([
    [{ a: 1 }, {}, true],
    [{}, { a: null }, false],
    [{ a: null }, { a: null }, true],
    [[1, 2], [1], false],
    [[1], [1, 2], false],
    [{ a: [] }, { a: {} }, false],
    [{ a: {} }, { a: [] }, false],
    ['1', 1, false],
    [{}, { toString: 'x' }, false],
  ] as const)('%j holds %j: %s', ([actual, expected, result]) => {
    expect(matchesPartially(actual, expected)).toBe(result)
  })

  test('a diff shows nothing but what is compared', () => {
    expect(comparedPart({ a: 1, b: [{ c: 1, d: 2 }, 3], e: 4 }, { a: 2, b: [{ c: 0 }], x: 1 })).toEqual({
      a: 1,
      b: [{ c: 1 }, 3],
    })
  })
})

describe('answers of several hooks', () => {
  test('later words replace earlier ones, but nothing lifts a refusal', () => {
    const deny = { hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: 'no' }, x: 1 }
    const allow = { hookSpecificOutput: { permissionDecision: 'allow', updatedInput: {} }, x: 2 }
    expect(mergeAnswers([deny, undefined, allow])).toEqual({
      hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: 'no', updatedInput: {} },
      x: 2,
    })
    expect(mergeAnswers([allow, deny])).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } })
    expect(mergeAnswers([undefined])).toBeUndefined()
    expect(mergeAnswers([undefined, 3])).toBe(3)
  })
})
