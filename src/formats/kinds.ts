import { patternLabel } from '../checks/pattern.ts'
import { describeUse } from '../checks/skill-used.ts'
import { sha256 } from '../lib/sha256.ts'
import { criteriaOf } from './criteria.ts'
import { toPathSegment } from './paths.ts'
import { isCompared, type Ablation, type PluginEvalCase } from './plugin-eval/model.ts'
import type { CaseBase, CaseMatter, GoldenTest, TriggerQuestion } from './suite.ts'

/**
 * What a kind of case means before it runs. Whoever has to treat kinds differently asks for one of these facts, so that a
 * new kind is one entry here and one in `case/kinds`.
 */
export interface KindFacts<Matter extends CaseMatter> {
  /** Whether it asks which skill is used: its session sees only the skills of the project, and no result is checked. */
  readonly isQuery: boolean
  /** How often it is run where nobody says. */
  readonly defaultRuns: number
  /** What names its files: recordings and scenarios. */
  slug(one: Matter & Pick<CaseBase, 'id' | 'prompt'>): string
  /** The name that its file gives it, without its folder. */
  ownName(one: Matter & Pick<CaseBase, 'id'>): string
  /** The file's own number of runs; `null` when it says none. */
  runs(one: Matter & Pick<CaseBase, 'runs'>): number | null
  /** The file's own share of runs that decides; `null` when it says none. */
  threshold(one: Matter & Pick<CaseBase, 'passThreshold'>): number | null
  /** What it expects beside its checks and criteria, as plain JSON without places. */
  expected(one: Matter): readonly unknown[]
  /** The same in words, with who decides it. */
  statements(
    one: Matter & Pick<CaseBase, 'broken'>,
  ): readonly { readonly text: string; readonly by: 'check' | 'judge' }[]
  /** Which skill its first turn may show to be used; `null` where a whole session is needed. */
  question(one: Matter): TriggerQuestion | null
  /** Whether it says anything without its skill, and is run that way too. */
  hasBaseline(one: ArmedCase & Matter, choice: ArmChoice): boolean
  /** The model that it names; `null` when it names none. */
  model(one: Matter): string | null
  /** The golden test that a rubric scores; `null` for every other case. */
  golden(one: Matter): GoldenTest | null
  /** What its session has beyond others; `null` for a session of the package alone. */
  pluginCase(one: Matter): PluginEvalCase | null
}

/** Which cases are run a second time. */
export interface ArmChoice {
  /** Cases of skills without their skill. */
  readonly baseline: boolean
  /** Cases of `claude plugin eval` without their plugin. */
  readonly ablation: Ablation
}

type ArmedCase = Pick<CaseBase, 'arm' | 'broken' | 'checks' | 'criteria' | 'skipped' | 'target'>
type Of<Kind extends CaseMatter['kind']> = Extract<CaseMatter, { kind: Kind }>

const TASK: KindFacts<CaseMatter> = {
  isQuery: false,
  defaultRuns: 1,
  slug: ({ id }) => toPathSegment(id),
  ownName: ({ id }) => id,
  runs: ({ runs = null }) => runs,
  threshold: ({ passThreshold = null }) => passThreshold,
  expected: () => [],
  statements: () => [],
  question: () => null,
  hasBaseline: ({ arm, checks, criteria, skipped, target }, { baseline }) =>
    baseline &&
    arm === undefined &&
    skipped === undefined &&
    (criteria !== null || checks.length > 0) &&
    target?.kind === 'skill',
  model: () => null,
  golden: () => null,
  pluginCase: () => null,
}

const TRIGGER: KindFacts<Of<'trigger'>> = {
  ...TASK,
  isQuery: true,
  defaultRuns: 3,
  slug: slugOfQuery,
  runs: ({ trigger }) => trigger.runs,
  threshold: ({ trigger }) => trigger.threshold,
  expected: ({ trigger: { skill, shouldTrigger, accepts = [] } }) => [['trigger', skill, shouldTrigger, ...accepts]],
  statements: ({ trigger, broken }) => (broken === undefined ? [{ text: describeQuestion(trigger), by: 'check' }] : []),
  question: ({ trigger }) => trigger,
  // A query asks for the skill itself.
  hasBaseline: () => false,
}

const PLUGIN_EVAL: KindFacts<Of<'plugin-eval'>> = {
  ...TASK,
  runs: ({ runs, pluginEval }) => runs ?? pluginEval.runs,
  expected: ({ pluginEval }) => pluginEval.graders.map(({ at: _at, ...grader }) => grader),
  hasBaseline: ({ arm, broken, skipped, pluginEval }, { ablation }) =>
    arm === undefined && broken === undefined && skipped === undefined && isCompared(pluginEval, ablation),
  model: ({ pluginEval }) => pluginEval.execution.model,
  pluginCase: ({ pluginEval }) => pluginEval,
}

const GOLDEN: KindFacts<Of<'golden'>> = {
  ...TASK,
  // Its category is the folder.
  slug: ({ golden }) => toPathSegment(golden.testId),
  ownName: ({ golden }) => golden.testId,
  model: ({ golden }) => golden.agent.model.default,
  golden: ({ golden }) => golden,
}

const KINDS: { readonly [Kind in CaseMatter['kind']]: KindFacts<Of<Kind>> } = {
  task: TASK,
  trigger: TRIGGER,
  'plugin-eval': PLUGIN_EVAL,
  golden: GOLDEN,
}

/** The facts of the kind of a case; every method takes the case. */
export function kindOf<One extends CaseMatter>({ kind }: One): KindFacts<One> {
  return KINDS[kind] as KindFacts<CaseMatter>
}

/** The first words of a query with a hash, so that a person finds its files. */
export function slugOfQuery({ id, prompt }: Pick<CaseBase, 'id' | 'prompt'>): string {
  if (!id.startsWith('t-')) return toPathSegment(id)
  const words = prompt.toLowerCase().match(/[a-z0-9]+/g) ?? []
  return [...words.slice(0, 6), sha256(prompt, 6)].join('-').slice(0, 80)
}

/** Whether this is an eval, and not a free test. */
export function isEvalCase<One extends { readonly kind: string }>(one: One): one is Extract<One, CaseMatter> {
  return Object.hasOwn(KINDS, one.kind)
}

function describeQuestion({ skill, accepts = [], shouldTrigger }: TriggerQuestion): string {
  if (skill === null) return shouldTrigger ? 'A skill is used.' : 'No skill is used.'
  return describeUse([skill, ...accepts], shouldTrigger)
}

/** A case that may have several messages of the user. */
type Spoken = Pick<CaseBase, 'prompt' | 'turns'>

/** The messages of the user, in order: most cases have one. */
export function promptsOf({ prompt, turns }: Spoken): readonly string[] {
  return turns === undefined ? [prompt] : turns.map((turn) => turn.prompt)
}

/** All that the user says, as one text; messages are numbered where there are several. */
export function wholePrompt({ prompt, turns = [] }: Spoken): string {
  if (turns.length < 2) return turns[0]?.prompt ?? prompt
  return turns.map((turn, index) => `Turn ${index + 1}: ${turn.prompt}`).join('\n\n')
}

/** Answers of the user, one text each: which question it is for, and what is said. */
export function describeAnswers({ answers = [] }: Pick<CaseBase, 'answers'>): readonly string[] {
  return answers.map(({ question, answer }) => {
    const said = answer.join(', ')
    return question === null ? said : `${patternLabel(question)}: ${said}`
  })
}

/** What a case asks of one of its turns, from 1; `null`: of the conversation as a whole. */
export function partOfTurn<One extends Pick<CaseBase, 'checks' | 'criteria' | 'prompt' | 'turns'>>(
  evalCase: One,
  turn: number | null,
): One {
  const { checks, criteria, turns } = evalCase
  if (turns === undefined) return evalCase
  const isOf = (one: { readonly turn?: number }): boolean => (one.turn ?? null) === turn
  const prompt = turn === null ? wholePrompt(evalCase) : (turns[turn - 1]?.prompt ?? '')
  const asked = criteriaOf(criteria?.statements?.filter(isOf) ?? [])
  const { context } = criteria ?? {}
  const shown = asked !== null && turn === null && context !== undefined ? { context } : {}
  return { ...evalCase, prompt, checks: checks.filter(isOf), criteria: asked && { ...asked, ...shown } }
}
