import { firstWords, singleSpaced } from '../../lib/text.ts'
import type { Skill } from '../../packages/package.ts'

/** A request that should make an agent use the skill, from its description; the author is asked to edit it. */
export function firstRequest({ name, description }: Pick<Skill, 'description' | 'name'>): string {
  const text = singleSpaced(description)
  const quoted = QUOTED.exec(text)?.[1]
  if (quoted !== undefined) return capitalized(quoted)
  const wish = WISH.exec(text)?.[1]
  if (wish !== undefined) return `I want ${/^(?:to|an?|the) /.test(wish) ? wish : `you to ${wish}`}`
  const doing = DOING.exec(text)?.[1]
  if (doing !== undefined) return `I need help with ${doing.trim()}`
  const [sentence = name] = text.split(/(?<=[.!?]) |(?<=[。！？])/)
  const request = firstWords(sentence.replace(/(?<![.!?。！？])[.!?。！？]+$/, ''), MAX_LENGTH).replace(/…$/, '')
  return imperative(request) ?? `I need help: ${request}`
}

/** "Creates and edits slides" as "Create and edit slides, please"; `null` for what does not begin with such verbs. */
function imperative(sentence: string): string | null {
  const words = sentence.split(' ')
  const verbs: string[] = []
  for (const word of words) {
    const goesOn = verbs.length === 0 || /^(?:and|or)$|,$/.test(verbs.at(-1) ?? '')
    if (verbs.length > 0 && /^(?:and|or)$/.test(word)) verbs.push(word)
    else if (goesOn && THIRD_PERSON.test(word)) verbs.push(baseForm(word))
    else break
  }
  const [next = ''] = words.slice(verbs.length)
  // "Guidelines for ..." is no verb.
  if (verbs.length === 0 || next === '' || /^(?:about|for|of|on|to)$/.test(next)) return null
  return `${[...verbs, ...words.slice(verbs.length)].join(' ')}, please`
}

// "Creates" is "Create", "Processes" is "Process", "Applies" is "Apply".
function baseForm(verb: string): string {
  if (/ies,?$/.test(verb)) return verb.replace(/ies(,?)$/, 'y$1')
  return /(?:ss|sh|ch|x|zz|o)es,?$/.test(verb) ? verb.replace(/es(,?)$/, '$1') : verb.replace(/s(,?)$/, '$1')
}

function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

// Use when the user says "clean up this branch".
const QUOTED = /\b(?:says?|asks?|mentions?|phrases?|like|as)\b[^"“.]{0,40}["“]([a-z][^"”]{6,100} [^"”]{2,})["”]/i
// Use when the user asks for a changelog entry.
const WISH =
  /\buse (?:this skill |it )?when(?:ever)? (?:the user|you|someone) (?:asks?|wants?|needs?|is asked) (?:you )?(?:for )?((?:to |an? |the )[^.;:,()]{4,120})/i
// Use when creating slides. Toolkit for extracting text.
const DOING =
  /\b(?:use (?:this skill |it )?(?:when(?:ever)?|for|before|while) (?:you are |you're )?|for )([a-z]+ing [^.;:,()"]{3,120})/i
// "Extracts", and not "This" or "Access".
const THIRD_PERSON = /^(?!This\b|Always\b)[A-Za-z][a-z]+[^su'\W]s,?$/
const MAX_LENGTH = 160
