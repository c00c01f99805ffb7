import { sum, sumOf } from '../../lib/lists.ts'
import type { BenchmarkRun } from './skill-creator-run.ts'

/** What a benchmark is built from. */
interface BenchmarkRequest {
  readonly skillName: string
  readonly skillPath: string
  readonly model: string | null
  readonly timestamp: string
  readonly runs: readonly BenchmarkRun[]
  /** What is known besides, one sentence each. */
  readonly notes: readonly string[]
}

/** Builds `benchmark.json`, in the words and units of skill-creator. Pure. */
export function buildBenchmark({ runs, notes, ...request }: BenchmarkRequest): object {
  const graded = runs.filter(({ grading }) => grading !== null)
  const arms = CONFIGURATIONS.filter((name) => graded.some(({ configuration }) => configuration === name))
  const summaries = arms.map((name) => [name, summarize(graded.filter((run) => run.configuration === name))] as const)
  const [one, other] = summaries.map(([, summary]) => summary)
  return {
    metadata: {
      skill_name: request.skillName,
      skill_path: request.skillPath,
      executor_model: request.model ?? 'unknown',
      // What is in the notes was computed.
      analyzer_model: 'none',
      timestamp: request.timestamp,
      evals_run: [...new Set(runs.map(({ evalId }) => evalId))],
      runs_per_configuration: Math.max(0, ...runs.map(({ index }) => index)),
    },
    runs: graded.map(describeRun),
    run_summary: {
      ...Object.fromEntries(summaries),
      ...(one === undefined || other === undefined ? {} : { delta: differ(one, other) }),
    },
    notes: [...notes, ...benchmarkNotes(runs)],
  }
}

const CONFIGURATIONS = ['with_skill', 'without_skill'] as const

function describeRun(run: BenchmarkRun): object {
  return {
    eval_id: run.evalId,
    eval_name: run.evalName,
    configuration: run.configuration,
    run_number: run.index,
    result: {
      ...run.grading?.summary,
      time_seconds: run.timing.total_duration_seconds,
      tokens: run.tokens ?? 0,
      tool_calls: run.toolCalls,
      errors: run.errors,
    },
    expectations: run.grading?.expectations ?? [],
    notes: [],
  }
}

interface Stats {
  readonly mean: number
  readonly stddev: number
  readonly min: number
  readonly max: number
}

interface Summary {
  readonly pass_rate: Stats
  readonly time_seconds: Stats
  readonly tokens: Stats
}

function summarize(runs: readonly BenchmarkRun[]): Summary {
  return {
    pass_rate: statsOf(runs.map(({ grading }) => grading?.summary.pass_rate ?? 0)),
    time_seconds: statsOf(runs.map(({ timing }) => timing.total_duration_seconds)),
    tokens: statsOf(runs.map(({ tokens }) => tokens ?? 0)),
  }
}

// Of a sample: one run has no deviation.
function statsOf(values: readonly number[]): Stats {
  const mean = sum(values) / values.length
  const squares = sumOf(values, (value) => (value - mean) ** 2)
  return {
    mean: rounded(mean),
    stddev: rounded(values.length > 1 ? Math.sqrt(squares / (values.length - 1)) : 0),
    min: rounded(Math.min(...values)),
    max: rounded(Math.max(...values)),
  }
}

function differ(one: Summary, other: Summary): object {
  const signed = (name: keyof Summary, digits: number): string => {
    const difference = one[name].mean - other[name].mean
    return `${difference < 0 ? '' : '+'}${difference.toFixed(digits)}`
  }
  return { pass_rate: signed('pass_rate', 2), time_seconds: signed('time_seconds', 1), tokens: signed('tokens', 0) }
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000
}

/** What an analyst looks for first: expectations that tell nothing, and evals that come out both ways. Computed. */
function benchmarkNotes(runs: readonly BenchmarkRun[]): readonly string[] {
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
