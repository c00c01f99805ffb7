// Kept, since every test asks for the same ones again.
const logFactorials: number[] = [0]

import type { ReportTally } from '../report.ts'

/** The level that a difference has to reach to be more than chance. */
export const SIGNIFICANT = 0.05

/**
 * Exact sign test, two-sided: how likely chance alone makes pairs as one-sided as `better` against `worse`. Pairs that
 * are equal say nothing. With one run on each side this is the exact test of McNemar.
 */
export function signTest(better: number, worse: number): number {
  const pairs = better + worse
  const fewer = Math.min(better, worse)
  let tail = 0
  for (let count = 0; count <= fewer; count++) tail += Math.exp(logChoose(pairs, count) - pairs * Math.LN2)
  return Math.min(1, 2 * tail)
}

/** Whether even pairs that all agree could be chance. */
export function isTooFewForSignTest(pairs: number): boolean {
  return signTest(pairs, 0) > SIGNIFICANT
}

/** The least number of pairs with which the sign test can find anything. */
export const FEWEST_PAIRS: number = Array.from({ length: 64 }, (_, pairs) => pairs).findIndex(
  (pairs) => !isTooFewForSignTest(pairs),
)

/** Fisher's exact test, two-sided: how likely chance alone makes two rates as different as these. */
export function fisherTest(a: ReportTally, b: ReportTally): number {
  const all = a.completed + b.completed
  const passed = a.passed + b.passed
  const chance = (of: number): number =>
    Math.exp(logChoose(a.completed, of) + logChoose(b.completed, passed - of) - logChoose(all, passed))
  const observed = chance(a.passed)
  let total = 0
  for (let of = Math.max(0, passed - b.completed); of <= Math.min(a.completed, passed); of++) {
    const one = chance(of)
    // Equal chances differ by a hair as floating-point numbers.
    if (one <= observed * (1 + 1e-9)) total += one
  }
  return Math.min(1, total)
}

/** Whether rates over so few runs could be equal even if all passed on one side and none on the other. */
export function isTooFewForFisher(a: number, b: number): boolean {
  return fisherTest({ passed: a, completed: a }, { passed: 0, completed: b }) > SIGNIFICANT
}

/** Natural logarithm of a binomial coefficient. */
export function logChoose(n: number, k: number): number {
  return logFactorial(n) - logFactorial(k) - logFactorial(n - k)
}

function logFactorial(n: number): number {
  for (let next = logFactorials.length; next <= n; next++)
    logFactorials.push((logFactorials[next - 1] ?? 0) + Math.log(next))
  return logFactorials[n] ?? 0
}

/** Counts of the decisions of two raters between pass and fail. */
interface TwoByTwo {
  readonly bothPass: number
  readonly bothFail: number
  /** The judge passed what the person would fail. */
  readonly judgePassed: number
  /** The judge failed what the person would pass. */
  readonly judgeFailed: number
}

/** Cohen's kappa with its 95% interval. */
export interface Kappa {
  readonly value: number
  readonly interval: readonly [low: number, high: number]
}

/**
 * Agreement beyond chance, with the interval by its large-sample standard error; `null` where no rater could have
 * disagreed, since only one answer was ever given.
 */
export function kappaInterval({ bothPass, bothFail, judgePassed, judgeFailed }: TwoByTwo): Kappa | null {
  const total = bothPass + bothFail + judgePassed + judgeFailed
  if (total === 0) return null
  const [a, b, c, d] = [bothPass / total, judgePassed / total, judgeFailed / total, bothFail / total]
  const judgePass = a + b
  const personPass = a + c
  const chance = judgePass * personPass + (1 - judgePass) * (1 - personPass)
  if (chance === 1) return null

  const value = (a + d - chance) / (1 - chance)
  // Fleiss, Cohen and Everitt (1969).
  const onDiagonal =
    a * (1 - (judgePass + personPass) * (1 - value)) ** 2 + d * (1 - (2 - judgePass - personPass) * (1 - value)) ** 2
  const beside = (1 - value) ** 2 * (b * (personPass + 1 - judgePass) ** 2 + c * (judgePass + 1 - personPass) ** 2)
  const variance = (onDiagonal + beside - (value - chance * (1 - value)) ** 2) / (total * (1 - chance) ** 2)
  const half = Z * Math.sqrt(Math.max(0, variance))
  return { value, interval: [Math.max(-1, value - half), Math.min(1, value + half)] }
}

const Z = 1.959963984540054

/** How often something was predicted and how often it held. */
interface Confusion {
  readonly truePositives: number
  readonly falsePositives: number
  readonly trueNegatives: number
  readonly falseNegatives: number
  /** Of what fired, the share that should have; `null` where nothing fired. */
  readonly precision: number | null
  /** Of what should have fired, the share that did; `null` where nothing should have. */
  readonly recall: number | null
}

/** Counts expectations against what happened, each run for itself. */
export function countConfusion(
  queries: readonly { readonly should_trigger: boolean; readonly fired: number; readonly completed: number }[],
): Confusion {
  const total = (should: boolean, count: (query: (typeof queries)[number]) => number): number =>
    queries.filter((query) => query.should_trigger === should).reduce((all, query) => all + count(query), 0)
  const truePositives = total(true, ({ fired }) => fired)
  const falseNegatives = total(true, ({ fired, completed }) => completed - fired)
  const falsePositives = total(false, ({ fired }) => fired)
  const trueNegatives = total(false, ({ fired, completed }) => completed - fired)
  return {
    truePositives,
    falsePositives,
    trueNegatives,
    falseNegatives,
    precision: share(truePositives, truePositives + falsePositives),
    recall: share(truePositives, truePositives + falseNegatives),
  }
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole
}
