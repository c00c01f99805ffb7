import { stringsIn } from '../lib/json.ts'
import type { UnnumberedEvent } from './transcript.ts'

/** A skill as a session finds it on disk. */
export interface SkillText {
  /** As its front matter names it, else its folder's name. */
  readonly name: string
  /** Name of its folder. */
  readonly folder: string
  /** SKILL.md. */
  readonly text: string
}

/** Finds out which skills a run has read. */
export interface SkillReads {
  /**
   * Takes the events of a run in order, and returns what to keep: the event, and the skills that it shows to be read.
   *
   * @param carried - what a request carried to the model as this result; `undefined` where the event itself says that.
   */
  readonly take: (event: UnnumberedEvent, carried?: string) => readonly UnnumberedEvent[]
}

/**
 * A skill was read when a line of its instructions came back from a tool, and no text of the run held that line before:
 * not the prompt, not what the agent wrote itself. How it was read does not matter. Of a skill whose instructions have no
 * such line the engine's own event counts.
 *
 * @param shown - what the model is shown before anything happens, such as the prompt.
 */
export function createSkillReads(skills: readonly SkillText[], shown: readonly string[]): SkillReads {
  const withLines = skills.map((skill) => ({ ...skill, lines: tellingLines(skill, skills) }))
  const knownNames = new Set(
    withLines.filter(({ lines }) => lines.length > 0).flatMap(({ name, folder }) => [name, folder]),
  )
  const before = [...shown]
  return {
    take(event, carried) {
      if (event.kind === 'skill-used') return event.via === 'read' && knownNames.has(event.skill) ? [] : [event]
      if (event.kind !== 'tool-result') {
        before.push(...textsOf(event))
        return [event]
      }
      const { agent, from } = event
      const text = carried ?? event.text
      const read = withLines.filter(({ lines }) =>
        lines.some((line) => text.includes(line) && !before.some((earlier) => earlier.includes(line))),
      )
      before.push(text)
      return [
        event,
        ...read.map(
          ({ name: skill }) => ({ kind: 'skill-used', agent, skill, via: 'read', ...(from && { from }) }) as const,
        ),
      ]
    },
  }
}

/** Lines that only the instructions of this skill hold: not its front matter, and no other skill. */
function tellingLines({ name, text }: SkillText, skills: readonly SkillText[]): readonly string[] {
  const { head, body } = splitFrontMatter(text)
  const elsewhere = [head, ...skills.filter((other) => other.name !== name).map((other) => other.text)]
  return body
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter(
      (line) => line.length >= SHORTEST && /\p{L}/u.test(line) && !elsewhere.some((other) => other.includes(line)),
    )
}

/** Whether a person cannot call the skill by its command. */
export function isHiddenFromUser({ text }: SkillText): boolean {
  return /^user-invocable:[ \t]*false\b/m.test(splitFrontMatter(text).head)
}

// A shorter line may come back from a tool by chance.
const SHORTEST = 12

function splitFrontMatter(text: string): { readonly head: string; readonly body: string } {
  const head = /^\uFEFF?---[ \t]*\r?\n[\s\S]*?\r?\n---[ \t]*(?:\r?\n|$)/.exec(text)?.[0] ?? ''
  return { head, body: text.slice(head.length) }
}

function textsOf(event: UnnumberedEvent): readonly string[] {
  if (event.kind === 'message') return [event.text]
  return event.kind === 'tool-call' ? stringsIn(event.input) : []
}
