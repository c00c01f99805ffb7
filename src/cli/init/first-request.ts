import { firstWords, singleSpaced } from '../../lib/text.ts'
import type { Skill } from '../../packages/package.ts'

/** A request that should make an agent use the skill, from its description; its author is asked to edit it. */
export function firstRequest({ name, description }: Pick<Skill, 'description' | 'name'>): string {
  const text = singleSpaced(description) || name
  const quoted = QUOTED.exec(text)?.[1]
  if (quoted !== undefined) return quoted.slice(0, 1).toUpperCase() + quoted.slice(1)
  const wish = WISH.exec(text)?.[1]
  if (wish !== undefined) return `I want ${wish}`
  const doing = DOING.exec(text)?.[1]
  if (doing !== undefined) return `I need help with ${doing.trim()}`
  const [sentence = ''] = text.split(/(?<=[.!?]) |(?<=[。！？])/)
  const request = firstWords(sentence.replace(/(?<![.!?。！？])[.!?。！？]+$/, ''), 160).replace(/…$/, '')
  return imperative(request) ?? `I need help: ${request}`
}

// Use when the user says "clean up this branch".
const QUOTED = /\b(?:says?|asks?|mentions?|phrases?|like|as)\b[^"“.]{0,40}["“]([a-z][^"”]{6,100} [^"”]{2,})["”]/i
// Use when the user asks for a changelog entry.
const WISH =
  /\buse (?:this skill |it )?when(?:ever)? (?:the user|you|someone) (?:asks?|wants?|needs?|is asked) (?:you )?(?:for )?((?:to |an? |the )[^.;:,()]{4,120})/i
// Use when creating slides. Toolkit for extracting text.
const DOING =
  /\b(?:use (?:this skill |it )?(?:when(?:ever)?|for|before|while) (?:you are |you're )?|for )([a-z]+ing [^.;:,()"]{3,120})/i

/** "Creates and edits slides" as "Create and edit slides, please"; `null` for what does not begin with such verbs. */
function imperative(sentence: string): string | null {
  const [verbs = ''] = VERBS.exec(sentence) ?? []
  const rest = sentence.slice(verbs.length)
  // "Guidelines for ..." is no verb.
  if (verbs === '' || rest === '' || /^(?:about|for|of|on|to)(?: |$)/.test(rest)) return null
  return `${verbs.replaceAll(/\b\w+s\b/g, baseForm)}${rest}, please`
}

// "Extracts", and not "This" or "Access".
const VERB = String.raw`(?!This\b|Always\b)[A-Za-z][a-z]+[^su'\W]s,?(?: |$)`
// "Extracts, merges, and splits".
const VERBS = new RegExp(`^${VERB}(?:(?:and|or)(?: |$)|(?<=(?: and| or|,) )${VERB})*`)

// "Creates" is "Create", "Processes" is "Process", "Applies" is "Apply".
function baseForm(verb: string): string {
  return verb.endsWith('ies') ? `${verb.slice(0, -3)}y` : verb.replace(/(?<=ss|sh|ch|x|zz|o)es$|s$/, '')
}
