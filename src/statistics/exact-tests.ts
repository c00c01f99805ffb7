// Kept, since every test asks for the same ones again.
const logFactorials: number[] = [0]

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

/** What passed of what was tried, on one side of a comparison. */
export interface Tally {
  readonly passed: number
  readonly completed: number
}

/** Fisher's exact test, two-sided: how likely chance alone makes two rates as different as these. */
export function fisherTest(a: Tally, b: Tally): number {
  const all = a.completed + b.completed
  const passed = a.passed + b.passed
  const chance = (of: number): number =>
    Math.exp(logChoose(a.completed, of) + logChoose(b.completed, passed - of) - logChoose(all, passed))
  const observed = chance(a.passed)
  let sum = 0
  for (let of = Math.max(0, passed - b.completed); of <= Math.min(a.completed, passed); of++) {
    const one = chance(of)
    // Equal chances differ by a hair as floating-point numbers.
    if (one <= observed * (1 + 1e-9)) sum += one
  }
  return Math.min(1, sum)
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
