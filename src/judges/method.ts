import type { ScenarioJudgement } from '../gateway/sources/scenario-file.ts'
import type { JsonObject, JsonValue } from '../lib/json.ts'
import type { AgentRun } from '../transcript/transcript.ts'
import type { JudgeForm } from './ask.ts'
import type { ShownEvidence } from './evidence/evidence-item.ts'
import type { GivenQuote, JudgePart, JudgedStatement, Verdict } from './judgement.ts'
import type { StatementKind, TaskStatements } from './statement-kinds.ts'

/** One verdict as it was answered. */
export interface AnsweredVerdict {
  readonly statement: number
  readonly reason: string
  /** Empty only where something is absent. */
  readonly evidence: readonly GivenQuote[]
  /** For something absent: words that would betray it. */
  readonly looked_for: readonly string[]
  readonly verdict: Verdict
  /** Why the statement itself proves little, whatever its verdict; a judge that does not say finds it fine. */
  readonly weak?: string | undefined
  /** It says that there is nothing to judge, so nothing has to be shown. */
  readonly needsNoEvidence?: boolean
}

/** An answer that can be used: one verdict for each statement, in their order. */
export interface JudgeAnswer {
  readonly verdicts: readonly AnsweredVerdict[]
  /** What in the evidence told the judge how to judge. */
  readonly orders: string
}

/** What is known of the statements, and which of them are asked about. */
export interface AskedStatements {
  /** One for each statement. */
  readonly kinds: readonly StatementKind[]
  /** Numbers of those that get a verdict, from 1. */
  readonly numbers: readonly number[]
  /** What was wrong with earlier verdicts on them, one clause for each number; empty where there were none. */
  readonly flaws: readonly string[]
}

/** What answers come to. */
export interface Decision extends Decided, Partial<Pick<JudgePart, 'rubric'>> {
  readonly statements: readonly JudgedStatement[]
  readonly notices: readonly string[]
}

/**
 * A way to judge: how a question is written, what its answer is forced to, how one is read, and what answers come to.
 * Everything else is the same for criteria, rubrics and graders.
 */
export interface JudgeMethod<Answer extends JudgeAnswer> {
  readonly run: Pick<AgentRun, 'model' | 'modelAsked'>
  /** Each gets a verdict. */
  readonly statements: readonly string[]
  /** What is asked about before a run is seen; `null` where it makes no difference what statements are about. */
  readonly kinds: TaskStatements | null
  /** What the statements behind those of `kinds` are about, where no judge is asked that. */
  readonly ownKinds?: readonly StatementKind[]
  /** Whether verdicts need evidence: also those that a person wrote, only those of models, or none. */
  readonly evidence: 'always' | 'of models' | 'never'
  /** Whether the run left a file that can hold its work. */
  readonly hasFiles: boolean
  readonly votes: number
  /** Whether votes are asked for that can change nothing. */
  readonly needsEveryVote: boolean
  /** What stored answers depend on besides the model. */
  readonly hash: { readonly criteria: JsonValue; readonly prompt: JsonValue }
  /** Chooses what is shown for these statements. `share`: of the usual number of characters. */
  show(numbers: readonly number[], share: number): ShownEvidence
  /** Write, schema and read. */
  form(statements: AskedStatements, shown: ShownEvidence): JudgeForm<Answer>
  decide(judged: readonly JudgedStatement[], answers: readonly Answer[]): Decision
  /** An answer as it was given, without its nonce: what a recording keeps. */
  toJson(answer: Answer): JsonObject
  readonly scenario: {
    /** The part of a scenario that answers no question of this kind. */
    readonly misfit: 'scores' | 'verdicts'
    /** An answer of a scenario in the form that the judge is forced to; `null` where it is a text. */
    write(judgement: ScenarioJudgement): JsonObject | null
    /** Says what to write into a scenario that has no answer left. */
    describeMissing(file: string): string
  }
}

/** What the verdicts on all statements come to. */
type Decided = Pick<JudgePart, 'reason'> & { readonly result: 'errored' | 'failed' | 'passed' }

/** One failed statement fails the whole; else one that could not be scored leaves it undecided. */
export function decideVerdict(statements: readonly JudgedStatement[]): Decided {
  const failed = statements.filter(({ verdict }) => verdict === 'fail')
  if (failed.length > 0) return { result: 'failed', reason: describe(failed, statements.length, 'does not hold') }
  const open = statements.filter(({ verdict }) => verdict === 'unscored')
  if (open.length > 0) return { result: 'errored', reason: describe(open, statements.length, 'could not be scored') }
  return { result: 'passed', reason: passedReason(statements) }
}

function describe(statements: readonly JudgedStatement[], total: number, what: string): string {
  const [first] = statements
  if (first === undefined) return ''
  const others = statements.length - 1
  const more = others === 0 ? '' : ` (and ${others} more of ${total})`
  return `"${first.text}" ${what}${more}: ${first.reason}`
}

function passedReason(statements: readonly JudgedStatement[]): string {
  const [first] = statements
  return statements.length === 1 && first !== undefined ? first.reason : `All ${statements.length} statements hold.`
}
