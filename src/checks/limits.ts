import { sum } from '../lib/lists.ts'
import { plural } from '../lib/text.ts'
import type { AgentRun } from '../transcript/transcript.ts'
import type { CheckFields, CheckKind } from './check.ts'

/** The most that a run may take. */
export interface LimitFields extends CheckFields {
  readonly value: number
}

type Run = Omit<AgentRun, 'workspace'>

/** What the run cost, in US dollars. */
export const maxCostUsd = limit({
  means: 'US dollars that the run may cost, the judge not included.',
  isWhole: false,
  of: ({ costUsd }) => costUsd,
  show: (cost) => `$${Number(cost.toFixed(4))}`,
  what: 'cost',
  spends: true,
})

/** How long the run took. */
export const maxSeconds = limit({
  means: 'Seconds that the run may take, from its start to its end.',
  isWhole: false,
  of: ({ durationMs }) => (durationMs === undefined ? undefined : durationMs / 1000),
  show: (seconds) => `${Number(seconds.toFixed(1))} s`,
  what: 'take',
  spends: true,
})

/** How often a model answered. */
export const maxTurns = limit({
  means: 'Answers of the model that the run may take, those of sub-agents included.',
  isWhole: true,
  of: (_, { requests, otherRequests = [] }) => requests - otherRequests.filter(({ answer }) => answer !== null).length,
  show: (turns) => plural(turns, 'turn'),
  what: 'take',
  spends: false,
})

/** How many tokens went to and from models. */
export const maxTokens = limit({
  means: 'Tokens that the run may use: input, cached input included, and output.',
  isWhole: true,
  of: ({ usage }) => (usage === null ? null : sum(Object.values(usage))),
  show: (tokens) => plural(tokens, 'token'),
  what: 'use',
  spends: true,
})

interface Limited {
  readonly means: string
  readonly isWhole: boolean
  /** `figures`: what the run took, or for a replay the run that was recorded. `null`: unknown; `undefined`: the recording lacks it. */
  readonly of: (figures: NonNullable<Run['recorded']>, run: Run) => number | null | undefined
  readonly show: (amount: number) => string
  readonly what: 'cost' | 'take' | 'use'
  /** Whether a hand-written scenario says nothing about it. */
  readonly spends: boolean
}

function limit({ means, isWhole, of, show, what, spends }: Limited): CheckKind<LimitFields> {
  return {
    schema: (zod) =>
      (isWhole ? zod.int().positive() : zod.number().positive()).transform((value) => ({ value })).describe(means),
    run({ value }, { run }) {
      const amount = of(run.recorded ?? run, run)
      const expected = `the run to ${what} at most ${show(value)}`
      const weak = spends && run.model === 'scenario' ? { weak: NO_MODEL } : {}
      // A scenario has no cost, but every run takes its time.
      if (amount === null && run.model === 'scenario') return { outcome: 'passed', ...weak }
      if (amount === null || amount === undefined) {
        const why = run.recorded === undefined ? 'that is unknown' : 'its recording does not hold that; record it again'
        return { outcome: 'errored', message: `expected ${expected} but ${why}` }
      }
      if (amount <= value) return { outcome: 'passed', ...weak }
      const message = `expected ${expected} but it was ${show(amount)}`
      return { outcome: 'failed', message, expected: show(value), actual: show(amount) }
    },
    describe: ({ value }) => `The run ${what}s at most ${show(value)}.`,
    label: ({ value }) => show(value),
  }
}

const NO_MODEL = 'A scenario calls no model, so this says nothing about what a run takes.'
