import { targetOf, type Grader } from '../formats/plugin-eval/model.ts'
import type { Position } from '../lib/documents/document.ts'
import type { ErrorCode } from '../lib/errors.ts'
import { sumOf } from '../lib/lists.ts'

/** How the graders of a case count. */
export interface GraderRole {
  readonly grader: Grader
  /** Whether it counts in the score of its run; an indicator does not. */
  readonly scored: boolean
}

/** What decides how the graders of a case count. */
export interface Arm {
  readonly name: 'with' | 'without'
  /** Whether the case runs in the other arm, too. */
  readonly isCompared: boolean
  /** Whether all that is mocked is a server of the plugin, so that the other arm has no mocked tools. */
  readonly mocksPlugin: boolean
}

/**
 * Says which graders of an arm are there, and which count. With two arms a grader that asks whether the plugin was used
 * is an indicator: the run without the plugin could never pass it. Where a case has no other grader, all of them count.
 */
export function rolesOf(
  graders: readonly Grader[],
  { name: arm, isCompared, mocksPlugin }: Arm,
): readonly GraderRole[] {
  const isIndicator = (grader: Grader): boolean => isCompared && isWithOnly(grader, mocksPlugin)
  if (graders.every(isIndicator)) return graders.map((grader) => ({ grader, scored: true }))
  return graders.flatMap((grader): readonly GraderRole[] => {
    const scored = !isIndicator(grader)
    return scored || arm === 'with' ? [{ grader, scored }] : []
  })
}

function isWithOnly(grader: Grader, mocksPlugin: boolean): boolean {
  if (grader.arm !== null) return grader.arm === 'with-only'
  if (grader.type === 'tool_used') return grader.check.value === 'Skill'
  return mocksPlugin && targetOf(grader)?.kind === 'mock_calls'
}

/** Makes the result of a grader. */
export function gradeAs({ grader, scored }: GraderRole, { code, ...finding }: Finding): GraderResult {
  const { name, type, at, weight } = grader
  const internal = { at, ...(code === undefined ? {} : { code }) }
  return { name, type, line: at.line, weight, scored, ...finding, internal }
}

/** The share of the weights that passed, 0 to 1; `null` where a grader that counts has no verdict. */
export function scoreOf(graders: readonly GraderResult[]): number | null {
  const counted = graders.filter(({ scored }) => scored)
  if (counted.length === 0 || counted.some(({ result }) => result === 'ERROR')) return null
  return weightOf(counted.filter(({ result }) => result === 'PASS')) / weightOf(counted)
}

function weightOf(graders: readonly GraderResult[]): number {
  return sumOf(graders, ({ weight }) => weight)
}

/** How one grader came out in one run, as the report has it. Plain JSON. */
export interface GraderResult {
  readonly name: string
  readonly type: Grader['type']
  readonly line: number
  readonly weight: number
  /** Whether it counts in the score of its run. */
  readonly scored: boolean
  /** `ERROR`: there is no verdict, such as of a judge that could not be asked. */
  readonly result: 'ERROR' | 'FAIL' | 'PASS'
  /** One sentence. */
  readonly explanation: string
  /** Verdicts of the judge's votes in their order, `null` for one that was not given; `null` where no judge is asked. */
  readonly votes: readonly (boolean | null)[] | null
  /** What this project asks a judge for beside the verdict; Claude Code's own runner does not. */
  readonly ours: GraderEvidence | null
  readonly internal: {
    readonly at: Position
    /** Why there is no verdict, where no judge says it. */
    readonly code?: ErrorCode
  }
}

/** Why a judge voted as it did. */
interface GraderEvidence {
  readonly reason: string
  /** Copied from what the judge was shown; `null` when it quoted nothing. */
  readonly quote: string | null
  /** Whether the quote is in what the judge was shown. */
  readonly quote_found: boolean
}

/** What a grader found, before it is known whether it counts. */
export interface Finding extends Pick<GraderResult, 'explanation' | 'ours' | 'result' | 'votes'> {
  readonly code?: ErrorCode
}

/** A finding of a grader that has asked no judge. */
export function found(result: GraderResult['result'], explanation: string): Finding {
  return { result, explanation, votes: null, ours: null }
}
