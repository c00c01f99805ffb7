import type { DeclaredCheck } from '../checks/checks.ts'
import type { Pattern } from '../checks/pattern.ts'
import type { Issue, Position } from '../lib/documents/document.ts'
import type { PluginEvalCase } from './plugin-eval/model.ts'

/** One file of cases. Plain JSON: it crosses from the main process to the worker. */
export interface Suite {
  /** A name of the list of formats. */
  readonly format: string
  /** Absolute path of the suite file. */
  readonly file: string
  /** Absolute path of the package that owns the suite. */
  readonly packageRoot: string
  readonly config: SuiteConfig
  /** The skill that owns the suite's folder; only suites of `evals.json` and `triggers.json` have one. */
  readonly skill?: SkillUnderTest
  /** Absolute path of what its ids are unique in, where that is not the package. */
  readonly partDir?: string
  /** What its sessions get of the version that a run is compared with; absent in every other run. */
  readonly before?: BeforeSubject
  readonly cases: readonly EvalCase[]
  /** Every mistake and remark of the file and of its config file. */
  readonly issues: readonly Issue[]
}

/** What the session of a case gets from the earlier version, where it runs in that arm. */
export interface BeforeSubject {
  /** Absolute path of the package. */
  readonly packageRoot: string
  /** The skill of the suite or the case as it was; absent where there is none. */
  readonly skill?: SkillUnderTest
}

/** What a suite's config file says (AAM: `evals/eval-config.json`); `null` where it says nothing. */
export interface SuiteConfig {
  /** Absolute path; `null` when there is no such file and all values are defaults. */
  readonly file: string | null
  /** Name as written; whether it is supported is decided before anything starts. */
  readonly engine: string | null
  /** Seconds per case. */
  readonly timeout: number | null
  /** `[provider:]model`. */
  readonly judge: string | null
  /** Whether the agent may use the network, with all services on loopback. Default of the AAM text: false. */
  readonly network: boolean
  /** Folders the agent may write to, relative to the workspace; `null` means the whole workspace. */
  readonly writablePaths: readonly string[] | null
  /** Added to the environment of the agent. */
  readonly env: Readonly<Record<string, string>>
}

/** The skill that a suite of `evals.json` or `triggers.json` is about. */
export interface SkillUnderTest {
  /** The name that it is installed under, by which an engine calls it. */
  readonly name: string
  /** The other name that it goes by: that of its front matter, where it differs. */
  readonly alias?: string
  /** Absolute path of its folder. */
  readonly dir: string
  /** Absolute path of the project that artifact cases get a copy of. */
  readonly projectRoot: string
  /** Absolute path of the folder of the suite file, in which overlays lie. */
  readonly evalsDir: string
}

/** A skill of the repository. Both of its names count as the skill. */
export type KnownSkill = Pick<SkillUnderTest, 'alias' | 'dir' | 'name' | 'projectRoot'>

/** What a case evaluates. */
export type Target =
  /** `alias`: its other name, where its folder and its front matter have two. */
  | { readonly kind: 'skill'; readonly name: string; readonly alias?: string }
  | { readonly kind: 'hook'; readonly name: string }
  | { readonly kind: 'agent'; readonly name: string }

/** One thing to evaluate. What its kind means for the rest of the program is in `kinds.ts` and `case/kinds`. */
export type EvalCase = CaseBase & CaseMatter

/** What a case asks, by its kind. */
export type CaseMatter =
  /** A task whose result is checked and judged. */
  | { readonly kind: 'task' }
  /** A query that asks which skill a prompt makes the agent use. */
  | { readonly kind: 'trigger'; readonly trigger: TriggerQuestion }
  /** A case of `claude plugin eval`, graders included. */
  | { readonly kind: 'plugin-eval'; readonly pluginEval: PluginEvalCase }
  /** A golden test of an agent. */
  | { readonly kind: 'golden'; readonly golden: GoldenTest }

/** The matter of a case with some of what all cases have. */
export type CasePart<Key extends keyof CaseBase = never> = Pick<CaseBase, Key> & CaseMatter

/** What all cases have. */
export interface CaseBase {
  /** Unique in its suite; a path segment. */
  readonly id: string
  /** The name of its test. */
  readonly name: string
  readonly description: string | null
  readonly target: Target | null
  /** Sent to the agent literally; the first of several messages. */
  readonly prompt: string
  /** All messages of the user, which are sent to one session; absent where there is one. */
  readonly turns?: readonly CaseTurn[]
  /** What the user answers when the agent asks in the middle of its work; absent where nobody answers. */
  readonly answers?: readonly CaseAnswer[]
  /** Fixtures that are copied into the workspace at `to`. */
  readonly files: readonly FixtureFile[]
  /** Files that are created in the workspace before the run. */
  readonly workspaceFiles: readonly WorkspaceFile[]
  /** Deterministic expectations in the order of the file. */
  readonly checks: readonly DeclaredCheck[]
  /** What the judge is asked; `null` when the case has no judge part. */
  readonly criteria: Criteria | null
  readonly tags: readonly string[]
  readonly category: string | null
  /** Seconds; the case's own field, `null` when it has none. */
  readonly timeout: number | null
  /** How often it is run, where the file says so. A trigger query says it in its question. */
  readonly runs?: number | null
  /** Share of its completed runs that has to pass, where the file says so. */
  readonly passThreshold?: number | null
  /** The engine that runs it, where several run the same cases. */
  readonly engine?: string
  /** The model that runs it, where several run the same cases. */
  readonly model?: string
  readonly arm?: Arm
  readonly at: Position
  /** Where its entry begins, in a file of several cases. */
  readonly start?: Position
  /** Whether other cases start at its line, so that the line alone does not name it. */
  readonly sharesLine?: true
  readonly promptAt: Position
  /** The skill that it is about, where that is not the one of its suite. */
  readonly skill?: SkillUnderTest
  /** Why it is not run although the other cases are; it is skipped then. */
  readonly skipped?: string
  /** What is wrong with it alone; it is errored then. */
  readonly broken?: string
  /** Absolute paths of the folders that are laid over the workspace before the skill is installed, in order. */
  readonly overlays?: readonly string[]
}

/** A case of which nothing more is said than what it is called and asked. */
export const PLAIN_CASE = {
  description: null,
  target: null,
  files: [],
  workspaceFiles: [],
  checks: [],
  criteria: null,
  tags: [],
  category: null,
  timeout: null,
} as const satisfies Partial<CaseBase>

/** One of several messages of the user. */
export interface CaseTurn {
  readonly prompt: string
  readonly at: Position
}

/** An answer of the user, and which question it is for. */
export interface CaseAnswer {
  /** Searched for in a question and its heading; `null`: any question that offers the answer as an option. */
  readonly question: Pattern | null
  /** Labels of options, or texts of the user's own; several for a question that takes several. */
  readonly answer: readonly string[]
}

/**
 * A run of a case for comparison: `without_skill` lacks its skill, or the plugin of a case of `claude plugin eval`;
 * `variant` gets the version of `--against`. The case itself has none.
 */
export type Arm = 'variant' | 'without_skill'

/** Asks which skill a prompt makes the agent use. */
export interface TriggerQuestion {
  /** The skill whose use is counted; `null` counts that of any. */
  readonly skill: string | null
  /** Further names whose use counts as well: its other name, or other skills. */
  readonly accepts?: readonly string[]
  readonly shouldTrigger: boolean
  /** The file's own number of runs; `null` when it says none. */
  readonly runs: number | null
  /** The file's own share of runs from which on it counts as fired; `null` when it says none. */
  readonly threshold: number | null
}

/** A fixture that the case names. */
export interface FixtureFile {
  /** Absolute path of the original. */
  readonly from: string
  /** Path in the workspace, `/`-separated and relative. */
  readonly to: string
  /** A second path in the workspace, of a file. */
  readonly alsoTo?: string
  readonly at: Position
  /** The field that names it, such as `evals.0.files.1`, where a file has several cases. */
  readonly field?: string
  /** The folder below which it was found, where several are looked at. */
  readonly base?: FixtureBase
}

/** Folders below which the files of an eval are looked for, in this order. */
export type FixtureBase = 'evals' | 'skill' | 'project'

/** A file that exists in the workspace before the run: a copy of `from`, else `content`. */
export interface WorkspaceFile {
  readonly to: string
  /** Absolute path of the original, or `null`. */
  readonly from: string | null
  /** Used when `from` is `null`; an unwritten file is empty. */
  readonly content: string
  readonly at: Position
  /** The field that names it, such as `evals.0.files.1`, where a file has several cases. */
  readonly field?: string
}

/** Natural-language criteria for the judge. */
export interface Criteria {
  readonly text: string
  readonly at: Position
  /** Single statements where the file lists them, or the case has several turns; else the text is split. */
  readonly statements?: readonly Statement[]
  /** What a good result is in the author's words: shown to the judge, not scored. */
  readonly context?: readonly string[]
}

/** One thing that has to hold. */
export interface Statement {
  readonly text: string
  readonly at: Position
  /** The turn that it is about, from 1; absent for the case as a whole. */
  readonly turn?: number
  /** It is the description of a good result, which is judged since nothing else is expected. */
  readonly implied?: true
}

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
  readonly agent: AgentUnderTest
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
  readonly expectedFacts: readonly ExpectedFact[]
}

/** A line of the pass criteria, such as `memory_recall: ≥ 4`. */
export interface RequiredScore {
  readonly dimension: string
  /** Least score. */
  readonly least: number
}

/** A fact that the answer has to get right. */
export interface ExpectedFact {
  readonly claim: string
  /** As written: a path below the agent's folder, perhaps with `#section`. */
  readonly source: string | null
  readonly expectedValue: string | null
  readonly at: Position
}

/** What a suite is checked against and other rooms define. */
export interface KnownNames {
  /** Paths of a workspace that engines have to themselves: no file of a case may be there. */
  readonly ownPaths: readonly string[]
  /** How the variables of engines begin: a suite may set none of them. */
  readonly ownVariables: readonly string[]
  /** Checks the name of a judge: a problem in one sentence, or `null`. */
  readonly judgeProblem: (judge: string) => string | null
}

/** Where nothing depends on engines. */
export const NO_NAMES: KnownNames = { ownPaths: [], ownVariables: [], judgeProblem: () => null }

/** The engine of a case that names none. Apart from the list of engines: a worker needs the name alone. */
export const DEFAULT_ENGINE = 'claude-code'
