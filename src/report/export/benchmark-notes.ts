import type { BenchmarkRun } from './exported-run.ts'

/** What an analyst looks for first: expectations that tell nothing, and evals that come out both ways. Computed. */
export function benchmarkNotes(runs: readonly BenchmarkRun[]): readonly string[] {
  const evals = [...new Set(runs.map(({ evalName }) => evalName))]
  const unknown = runs.filter(({ tokens }) => tokens === null).length
  return [
    ...evals.flatMap((name) =>
      notesOfEval(
        name,
        runs.filter(({ evalName }) => evalName === name),
      ),
    ),
    ...runs.flatMap(({ evalName, configuration, index, ungraded }) =>
      ungraded === null ? [] : [`${evalName}, ${configuration}, run ${index} was not graded: ${ungraded}`],
    ),
    ...(unknown === 0 ? [] : [`The tokens of ${unknown} runs are not known; they are 0 here.`]),
  ]
}

function notesOfEval(name: string, runs: readonly BenchmarkRun[]): readonly string[] {
  const texts = new Set(runs.flatMap(({ grading }) => grading?.expectations.map(({ text }) => text) ?? []))
  return [...texts].flatMap((text) => {
    const one = passesOf(runs, 'with_skill', text)
    const other = passesOf(runs, 'without_skill', text)
    const sentence = describe(one, other)
    return sentence === null ? [] : [`${name}: ${JSON.stringify(text)} ${sentence}`]
  })
}

function passesOf(runs: readonly BenchmarkRun[], arm: BenchmarkRun['configuration'], text: string): readonly boolean[] {
  return runs
    .filter(({ configuration }) => configuration === arm)
    .flatMap(({ grading }) => grading?.expectations.find((one) => one.text === text)?.passed ?? [])
}

function describe(one: readonly boolean[], other: readonly boolean[]): string | null {
  if (one.includes(true) && one.includes(false))
    return `passes in ${one.filter(Boolean).length} of ${one.length} runs with the skill: it may be flaky.`
  if (one.length === 0 || other.length === 0) return null
  if (!other.includes(false))
    return one.includes(false)
      ? 'passes only without the skill.'
      : 'passes in all runs of both, so it shows no difference.'
  return !one.includes(true) && !other.includes(true) ? 'fails in all runs of both.' : null
}
