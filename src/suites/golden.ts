import type { Position } from '../documents/issue.ts'

/** The agent folder that golden tests are about, as far as all of its tests share it. Plain JSON. */
export interface AgentUnderTest {
  /** Name of its folder. */
  readonly name: string
  /** Absolute path of its folder: the vault. */
  readonly dir: string
  /** Absolute path of `evals/`. */
  readonly evalsDir: string
  readonly model: AgentModel
  /** Documented files of persona, tools and model that are not there, relative to the folder. */
  readonly missing: readonly string[]
  readonly rubric: Rubric
  readonly judge: JudgeSettings
}

/** What `model.md` says. */
export interface AgentModel {
  /** Absolute path; `null` when there is none. */
  readonly file: string | null
  readonly default: string | null
  readonly fallback: string | null
  /** Whether golden tests have to declare `expected_facts`. */
  readonly expectedFactsRequired: boolean
}

/** What `evals/rubric.md` says. */
export interface Rubric {
  /** Absolute path. */
  readonly file: string
  /** Everything below the front matter: the value of `{rubric}`. */
  readonly text: string
  /** In the order of the file. */
  readonly dimensions: readonly RubricDimension[]
  /** Weighted score from which on a test passes. */
  readonly threshold: number
  readonly hardFails: readonly HardFail[]
}

/** One dimension of a rubric; it is scored from 1 to 5. */
export interface RubricDimension {
  readonly name: string
  /** Percent. */
  readonly weight: number
}

/** What an agent must never do. */
export interface HardFail {
  /** Such as `HF1`. */
  readonly code: string
  readonly text: string
}

/** What `evals/judge.md` says. */
export interface JudgeSettings {
  /** Absolute path. */
  readonly file: string
  /** Everything below the front matter: the prompt, with its placeholders. */
  readonly template: string
  /** Models of another family than the agent's, the first one that can be reached is taken. */
  readonly crossFamily: readonly string[]
  readonly sameFamilyFallback: readonly string[]
  readonly strictMode: boolean
  /** Share of the decisions that a person is to look at, from 0 to 1. */
  readonly auditShare: number
}

/** What a golden test asks of an agent, beyond what every case has. */
export interface GoldenTest {
  /** As in the front matter; unique in its category. */
  readonly testId: string
  /** What the test says of the vault; the agent gets it only with `setup: send`. `null` when it says nothing. */
  readonly setup: string | null
  /** What the agent is asked: the value of `{test_input}`. */
  readonly input: string
  readonly expectedBehavior: string
  /** The section as written. */
  readonly passCriteria: string
  /** Scores that the pass criteria ask for. */
  readonly required: readonly RequiredScore[]
  /** Hard fails that the pass criteria name; each counts whether it is named or not. */
  readonly watchedHardFails: readonly string[]
  readonly expectedFacts: readonly ExpectedFact[]
}

/** A line of the pass criteria, such as `memory_recall: ≥ 4`. */
export interface RequiredScore {
  /** `null` for the weighted score. */
  readonly dimension: string | null
  /** Least score. */
  readonly least: number
  readonly at: Position
}

/** A fact that the answer has to get right. */
export interface ExpectedFact {
  readonly claim: string
  /** As written: a path below the agent's folder, perhaps with `#section`. */
  readonly source: string | null
  readonly expectedValue: string | null
  readonly at: Position
}
