import { singleSpaced } from '../../texts.ts'
import type { Skill } from '../../packages/package.ts'

/** A request that should make an agent use the skill, from its description; the author is asked to edit it. */
export function firstRequest({ name, description }: Pick<Skill, 'description' | 'name'>): string {
  const wish = WISH.exec(singleSpaced(description))?.[1]
  if (wish !== undefined) return `I want ${/^(?:to|a|an|the) /.test(wish) ? wish : `you to ${wish}`}`
  const [sentence = name] = singleSpaced(description).split(/(?<=[.!?]) /)
  return `Help me with this: ${sentence.replace(/(?<![.!?])[.!?]+$/, '').slice(0, MAX_LENGTH)}`
}

/** Requests for which the skill is right, and such for which it is not. */
export function queriesFor(skill: Skill): {
  readonly positive: readonly string[]
  readonly negative: readonly string[]
} {
  return {
    positive: [firstRequest(skill), `Do you have something for ${skill.name.replaceAll('-', ' ')}? Please use it now`],
    negative: ['What is the capital of France?', 'Rename the variable x to count in src/index.js'],
  }
}

// "Use when the user asks for a changelog entry", as many descriptions say.
const WISH =
  /\buse (?:this skill |it )?when(?:ever)? (?:the user|you|someone) (?:asks?|wants?|needs?|is asked) (?:you )?(?:for )?((?:to |an? |the )[^.;:,()]{4,120})/i
const MAX_LENGTH = 160
