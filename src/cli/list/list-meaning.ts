import { pathFrom } from '../../packages/package-root.ts'
import { describeCheck, readSentence, type DeclaredCheck } from '../../checks/checks.ts'
import { formatOf } from '../../suites/formats/registry.ts'
import { kindOf } from '../../suites/kinds.ts'
import type { EvalCase, Suite } from '../../suites/suite.ts'

/** What a case means: what is asked, and everything that has to hold. */
export interface CaseMeaning {
  /** `trigger`, or what the format calls its cases. */
  readonly kind: string
  readonly prompt: string
  /** The skill that it is about. */
  readonly skill: string | null
  readonly should_trigger: boolean | null
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
export interface Expected {
  readonly text: string
  readonly by: 'check' | 'judge'
  /** What is looked at, where the text is the author's own sentence for a check. */
  readonly check?: string
  /** It is the description of a good result, judged since nothing else is expected. */
  readonly implied?: true
  /** What the statement is about, such as `deeds, absent`; absent until a judge has said it. */
  readonly about?: string
}

/** What the file says of a case, in the author's own words wherever there are any. */
export function meaningOf({ format, skill }: Pick<Suite, 'format' | 'skill'>, evalCase: EvalCase): CaseMeaning {
  const { checks, criteria, prompt, target, skipped, broken } = evalCase
  const kind = kindOf(evalCase)
  const question = kind.question(evalCase)
  const isOfSkills = skill !== undefined
  const statements = criteria === null ? [] : (criteria.statements ?? [{ text: criteria.text }])
  return {
    kind: kind.selectedBy === 'trigger' ? 'trigger' : formatOf(format).kind,
    prompt,
    skill: target?.kind === 'skill' ? target.name : null,
    should_trigger:
      broken !== undefined
        ? null
        : (question?.shouldTrigger ?? directionOf(checks, target?.kind === 'skill' ? target.name : null)),
    expects: [
      ...kind.statements(evalCase),
      ...checks.map(toExpected),
      ...statements.map(({ text, ...more }): Expected => ({
        text,
        by: isOfSkills && readSentence(text) !== null ? 'check' : 'judge',
        ...('implied' in more ? { implied: true } : {}),
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
  return check.says === undefined
    ? { text: described, by: 'check', ...('implied' in check && check.implied ? { implied: true } : {}) }
    : { text: check.says, by: 'check', check: described }
}

// What is checked of the skill that the case is about, else of any.
function directionOf(all: readonly DeclaredCheck[], skill: string | null): boolean | null {
  const own = all.filter((check) => 'names' in check && skill !== null && check.names.includes(skill))
  const checks = own.length > 0 ? own : all
  if (checks.some(({ kind }) => kind === 'skill-used')) return true
  return checks.some(({ kind }) => kind === 'skill-not-used' || kind === 'no-skill-used') ? false : null
}
