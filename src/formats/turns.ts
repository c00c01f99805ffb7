import type { CaseBase, CaseTurn, Criteria } from './suite.ts'

/** A case that may have several messages of the user. */
type Spoken = Pick<CaseBase, 'prompt' | 'turns'>

/** The messages of the user, in order: most cases have one. */
export function promptsOf({ prompt, turns }: Spoken): readonly string[] {
  return turns === undefined ? [prompt] : turns.map((turn) => turn.prompt)
}

/** All that the user says, as one text. */
export function wholePrompt(spoken: Spoken): string {
  return describeTurns(promptsOf(spoken))
}

/** Messages of the user as one text, numbered where there are several. */
export function describeTurns(prompts: readonly string[]): string {
  if (prompts.length === 1) return prompts[0] ?? ''
  return prompts.map((prompt, index) => `Turn ${index + 1}: ${prompt}`).join('\n\n')
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
  return { ...evalCase, prompt, checks: checks.filter(isOf), criteria: criteriaOf(criteria, isOf) }
}

function criteriaOf(criteria: Criteria | null, isOf: (one: { readonly turn?: number }) => boolean): Criteria | null {
  const [first, ...rest] = criteria?.statements?.filter(isOf) ?? []
  if (criteria === null || first === undefined) return null
  const statements = [first, ...rest]
  const { context, ...shared } = criteria
  const isWhole = first.turn === undefined && context !== undefined
  return { ...shared, ...(isWhole ? { context } : {}), at: first.at, text: statements.map(({ text }) => `- ${text}`).join('\n'), statements }
}

/** The turns of a case that has several; none where it has one. */
export function turnsOf({ turns = [] }: Spoken): readonly CaseTurn[] {
  return turns
}
