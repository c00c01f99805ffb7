import type { ExpectedCase } from '../../case/prepare/expect-case.ts'
import { describeCheck, type DeclaredCheck } from '../../checks/checks.ts'
import { describeTarget } from '../../checks/matches.ts'
import type { Grader } from '../../formats/plugin-eval/model.ts'
import type { SearchNote } from '../../formats/skill-evals/skill-suites.ts'
import { describeAnswers, kindOf, wholePrompt } from '../../formats/kinds.ts'
import { formatOf } from '../../formats/registry.ts'
import type { EvalCase, Suite } from '../../formats/suite.ts'
import { hasPrice, type ModelPrices } from '../../gateway/budget/price.ts'
import { chooseJudge } from '../../judges/choose.ts'
import { readKinds } from '../../judges/known-kinds.ts'
import { wireOfJudge } from '../../judges/providers/registry.ts'
import type { StatementKind } from '../../judges/statement-kinds.ts'
import type { Issue } from '../../lib/documents/document.ts'
import { formatPlace, plural, shorten, toPrintableLine, toPrintableMessage } from '../../lib/text.ts'
import type { RunSettings } from '../../options/settings.ts'
import { pathFrom } from '../../packages/package-root.ts'
import { runsFolder } from '../../report/results/run-folder.ts'
import type { Paint } from '../../report/summary/terminal.ts'

/** What a case means: what is asked, and everything that has to hold. */
interface CaseMeaning {
  /** `trigger`, or what the format calls its cases. */
  readonly kind: string
  readonly prompt: string
  /** The skill that it is about. */
  readonly skill: string | null
  readonly should_trigger: boolean | null
  /** What its user answers when the agent asks; absent where nobody answers. */
  readonly user_answers?: readonly string[]
  readonly expects: readonly Expected[]
  /** Shown to the judge, and not judged. */
  readonly context: readonly string[]
  /** Why it is not run. */
  readonly disabled: string | null
  readonly description: string | null
  readonly category: string | null
  readonly tags: readonly string[]
  /** Paths in the workspace. */
  readonly files: readonly string[]
  /** Folders that are laid over the workspace, relative to the project. */
  readonly overlays: readonly string[]
  /** Seconds; the case's own, else `null`. */
  readonly timeout: number | null
  /** Share of runs from which on it passes, or counts as fired; the file's own, else `null`. */
  readonly threshold: number | null
}

/** One thing that has to hold, and who decides it. */
interface Expected {
  readonly text: string
  readonly by: 'check' | 'judge'
  /** What is looked at, where the text is the author's own sentence for a check. */
  readonly check?: string
  /** The turn that it is about, from 1; absent for the case as a whole. */
  readonly turn?: number
  /** It is the description of a good result, judged since nothing else is expected. */
  readonly implied?: true
}

/** What the file says of a case, in the author's own words wherever there are any. */
export function meaningOf({ format, skill }: Pick<Suite, 'format' | 'skill'>, evalCase: EvalCase): CaseMeaning {
  const { checks, criteria, target, skipped, broken } = evalCase
  const kind = kindOf(evalCase)
  const subject = target?.kind === 'skill' ? target.name : null
  const statements = criteria === null ? [] : (criteria.statements ?? [{ text: criteria.text }])
  return {
    kind: kind.isQuery ? 'trigger' : formatOf(format).kind,
    prompt: wholePrompt(evalCase),
    skill: subject,
    should_trigger:
      broken === undefined ? (kind.question(evalCase)?.shouldTrigger ?? directionOf(checks, subject)) : null,
    ...(evalCase.answers === undefined ? {} : { user_answers: describeAnswers(evalCase) }),
    expects: [
      ...kind.statements(evalCase),
      ...(kind.pluginCase(evalCase)?.graders ?? []).map(describeGrader),
      ...checks.map(toExpected),
      ...statements.map(({ text, ...more }): Expected => ({
        text,
        by: 'judge',
        ...('implied' in more ? { implied: true } : {}),
        ...('turn' in more ? { turn: more.turn } : {}),
      })),
    ],
    context: criteria?.context ?? [],
    disabled: skipped ?? null,
    description: evalCase.description,
    category: evalCase.category,
    tags: evalCase.tags,
    files: [...evalCase.files, ...evalCase.workspaceFiles].map(({ to }) => to),
    overlays: skill === undefined ? [] : (evalCase.overlays ?? []).map((folder) => pathFrom(skill.projectRoot, folder)),
    timeout: evalCase.timeout,
    threshold: kind.threshold(evalCase),
  }
}

function toExpected(check: DeclaredCheck): Expected {
  const described = describeCheck(check)
  const ofTurn = check.turn === undefined ? {} : { turn: check.turn }
  return check.says === undefined
    ? { text: described, by: 'check', ...('implied' in check && check.implied ? { implied: true } : {}), ...ofTurn }
    : { text: check.says, by: 'check', check: described, ...ofTurn }
}

/** What a grader asks, in one sentence; for those of a judge the author's own words. */
function describeGrader(grader: Grader): Expected {
  if ('check' in grader) return { text: describeCheck(grader.check), by: 'check' }
  const { criteria } = grader
  const of = grader.type === 'baseline' ? `compared with ${grader.baselineFile}` : `of ${describeTarget(grader.focus)}`
  const isPlain = grader.type === 'llm' && grader.focus.kind === 'last_message'
  return { text: isPlain ? criteria : `${criteria} (${of})`, by: 'judge' }
}

// What is checked of the skill that the case is about, else of any.
function directionOf(all: readonly DeclaredCheck[], skill: string | null): boolean | null {
  const ofSkill = all.filter((check) => 'names' in check && skill !== null && check.names.includes(skill))
  const checks = ofSkill.length > 0 ? ofSkill : all
  if (checks.some(({ kind }) => kind === 'skill-used')) return true
  return checks.some(({ kind }) => kind === 'skill-not-used' || kind === 'no-skill-used') ? false : null
}

/** A case with what it means and what its next run takes. */
export interface ExplainedCase extends ExpectedCase, CaseMeaning {
  /** Given where the option `quarantine` names it: it gates nothing. */
  readonly quarantined?: true
}

/** Cases for a person: what each asks, what has to hold, and who decides it. */
export function explainCases(
  cases: readonly { readonly one: ExplainedCase; readonly judge: string | null }[],
  { root, prices }: Pick<RunSettings, 'prices' | 'root'>,
  paint: Paint,
): readonly string[] {
  const kindsOf = readKinds(runsFolder(root))
  return cases.flatMap(({ one, judge }) => {
    const kinds = kindsOf({ task: one.prompt, statements: one.expects.map(({ text }) => text) })
    return explain(one, kinds, describeJudge(judge, prices), paint)
  })
}

function explain(
  one: ExplainedCase,
  kinds: readonly (StatementKind | null)[],
  judge: string | null,
  paint: Paint,
): readonly string[] {
  const line = (label: string, text: string): string =>
    toPrintableMessage(text)
      .split('\n')
      .map((part, index) => `  ${paint('dim', (index === 0 ? label : '').padEnd(9))}${part}`.trimEnd())
      .join('\n')
  const about = one.skill === null ? one.target : `skill ${one.skill}`
  const kind = `${one.kind}${about === null ? '' : ` of ${about}`}`
  const enough = one.threshold === null ? '' : `, threshold ${one.threshold}`
  return [
    `${paint('bold', toPrintableLine(one.name))} ${paint('dim', toPrintableLine(formatPlace(one)))}`,
    line('kind', `${kind}, ${plural(one.runs, 'run')}${enough}, ${one.answers}`),
    line('prompt', shorten(one.prompt.trim(), MAX_SHOWN)),
    ...(one.quarantined === undefined ? [] : [line('state', 'in quarantine')]),
    ...(one.disabled === null ? [] : [line('disabled', one.disabled)]),
    ...(one.user_answers ?? []).map((text) => line('answer', shorten(text, MAX_SHOWN))),
    ...one.files.map((file) => line('file', file)),
    ...one.overlays.map((folder) => line('overlay', folder)),
    ...one.expects.map((expected, index) => line(expected.by, describe(expected, kinds[index] ?? null))),
    ...(judge !== null && one.expects.some(({ by }) => by === 'judge') ? [line('asks', judge)] : []),
    ...(one.expects.length === 0 ? [line('expects', 'nothing, so the case is skipped')] : []),
    ...one.context.map((text) => line('context', shorten(text.trim(), MAX_SHOWN))),
    '',
  ]
}

// Who judges, where it is named.
function describeJudge(named: string | null, prices: ModelPrices): string | null {
  if (named === null) return null
  const { provider, model } = chooseJudge(named, { engine: '', model: null, modelAsked: null }, null)
  const isPriced = hasPrice(model, wireOfJudge(provider, model), prices)
  return `${provider}:${model}${isPriced ? '' : ', whose price is unknown: the budget cannot be enforced'}`
}

function describe({ text, by, implied, check }: Expected, kind: StatementKind | null): string {
  const remarks = [
    ...(check === undefined ? [] : [check]),
    ...(implied === undefined ? [] : [by === 'check' ? 'implied by its target' : 'implied: nothing else is expected']),
    // Known once a judge has said it.
    ...(by === 'check' || kind === null ? [] : [`about: ${kind.about}${kind.absent ? ', absent' : ''}`]),
  ]
  return [text, ...remarks.map((remark) => `(${remark})`)].join(' ')
}

const MAX_SHOWN = 400

/** Something that has no effect or is not understood, and where it is. */
interface ListNote {
  /** Relative to the folder that is listed; `null` where it is about no one file. */
  readonly file: string | null
  readonly line: number | null
  readonly field: string | null
  readonly message: string
}

/** Every remark, one by one: of the search, then of the files. */
export function toListNotes(root: string, notes: readonly SearchNote[], issues: readonly Issue[]): readonly ListNote[] {
  // What a search did not use is a remark on its suite as well.
  const messages = new Set(notes.map(({ message }) => message))
  const all = [
    ...notes.map(({ file, message }) => ({ file, line: null, field: null, message })),
    ...issues
      .filter(({ message }) => !messages.has(message))
      .map(({ file, line, field, message }) => ({ file, line, field: field === '' ? null : field, message })),
  ]
  return all.map((note) => ({ ...note, file: note.file === null ? null : pathFrom(root, note.file) || '.' }))
}
