import { expect, test } from 'vitest'
import { countRepeats } from '../../../../src/report/results/repeats-part.ts'
import { runsDue } from '../../../../src/report/results/decide-outcome.ts'

type Outcome = 'errored' | 'failed' | 'passed'
const OUTCOMES: readonly Outcome[] = ['passed', 'failed', 'errored']
const THRESHOLDS = [0.01, 0.2, 0.25, 1 / 3, 0.34, 0.5, 0.6, 2 / 3, 0.67, 0.75, 0.8, 0.9, 1]

function sequences(length: number): readonly (readonly Outcome[])[] {
  if (length === 0) return [[]]
  return sequences(length - 1).flatMap((rest) => OUTCOMES.map((one) => [...rest, one]))
}

/** The verdict of a case, as it is decided where all runs are made. */
function verdictOf(outcomes: readonly Outcome[], threshold: number): Outcome {
  const { completed, passed } = countRepeats(outcomes, { runs: outcomes.length, threshold }, false)
  return completed === 0 ? 'errored' : passed / completed >= threshold ? 'passed' : 'failed'
}

function due(outcomes: readonly Outcome[], planned: number, threshold: number): number {
  const passed = outcomes.filter((one) => one === 'passed').length
  const completed = passed + outcomes.filter((one) => one === 'failed').length
  return runsDue({ planned, ended: outcomes.length, completed, passed, threshold })
}

/** How many of these runs are made. */
function made(outcomes: readonly Outcome[], threshold: number): number {
  let ended = 0
  for (;;) {
    const more = due(outcomes.slice(0, ended), outcomes.length, threshold)
    if (more === 0) return ended
    ended += more
  }
}

/** How many are made one after the other until all futures have one verdict: by definition. */
function needed(outcomes: readonly Outcome[], threshold: number): number {
  const isOpen = (begun: readonly Outcome[]): boolean =>
    new Set(sequences(outcomes.length - begun.length).map((rest) => verdictOf([...begun, ...rest], threshold))).size > 1
  const first = outcomes.findIndex((_, at) => !isOpen(outcomes.slice(0, at)))
  return first === -1 ? outcomes.length : first
}

test('over all sequences of outcomes the verdict is that of all runs', () => {
  let saved = 0
  for (let runs = 1; runs <= 6; runs += 1)
    for (const outcomes of sequences(runs))
      for (const threshold of THRESHOLDS) {
        const count = made(outcomes, threshold)
        saved += runs - count
        const [early, whole] = [verdictOf(outcomes.slice(0, count), threshold), verdictOf(outcomes, threshold)]
        if (early !== whole) expect.fail(`${outcomes.join()} at ${threshold}: ${early} after ${count}, ${whole} of all`)
      }
  expect(saved).toBeGreaterThan(5000)
})

test('as few runs are made as one after the other until all futures agree', () => {
  for (let runs = 1; runs <= 5; runs += 1)
    for (const outcomes of sequences(runs))
      for (const threshold of THRESHOLDS) expect(made(outcomes, threshold)).toBe(needed(outcomes, threshold))
})

test.each([
  [5, 1, [], 1],
  [5, 1, ['failed'], 0],
  [5, 1, ['passed'], 1],
  [5, 0.5, [], 3],
  [5, 0.5, ['passed', 'passed', 'passed'], 0],
  [5, 0.5, ['passed', 'passed', 'failed'], 1],
  // All may break, and the case with them.
  [3, 0.5, ['errored', 'errored'], 1],
  [1, 1, [], 1],
] as const)('of %o runs at the threshold %o, after %o, %o are due', (planned, threshold, outcomes, expected) => {
  expect(due(outcomes, planned, threshold)).toBe(expected)
})
