import { createSkillReads, isHiddenFromUser, type SkillText } from '../transcript/skill-reads.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { Engine } from '../engines/engine.ts'
import type { Skill } from '../packages/package.ts'
import type { UnnumberedEvent } from '../transcript/transcript.ts'

/** Finds which skills a finished run has read, by what its requests carried to the model where these are known. */
export function findSkillReads(
  events: readonly UnnumberedEvent[],
  { conversation, stopped }: { readonly conversation: Conversation | null; readonly stopped: boolean },
  { prompt, skills }: { readonly prompt: string; readonly skills: readonly SkillText[] },
): readonly UnnumberedEvent[] {
  const threads = conversation?.threads ?? []
  const results = new Map(
    threads.flatMap(({ turns }) => turns.flatMap((turn) => turn.results.map((one) => [one.id, one.text]))),
  )
  const reads = createSkillReads(skills, [prompt, ...threads.flatMap(({ turns }) => turns[0]?.texts ?? [])])
  // A run that was ended early had no time for the request that would have carried its last result.
  const isKnown = conversation !== null && !stopped
  return events.flatMap((event) => {
    if (event.kind !== 'tool-result' || !isKnown) return reads.take(event)
    return reads.take(event, results.get(event.id) ?? '')
  })
}

/** The skill that the engine loads since the prompt begins with its command. */
export function skillOfPrompt(
  { commandOf }: Pick<Engine, 'commandOf'>,
  prompt: string,
  skills: readonly SkillText[],
): readonly UnnumberedEvent[] {
  const command = commandOf?.(prompt) ?? null
  const skill = skills.find(({ name, folder }) => name === command || folder === command)
  if (skill === undefined || isHiddenFromUser(skill)) return []
  return [{ kind: 'skill-used', agent: null, skill: skill.name, via: 'command' }]
}

/**
 * Adds the skill that a session must do without: a copy of it may have any name and be anywhere. Only its longer lines
 * count: a heading may be in other files of the project, too.
 */
export function withLeftOut(skills: readonly SkillText[], leftOut: Skill | undefined): readonly SkillText[] {
  if (leftOut === undefined || skills.some(({ name }) => name === leftOut.name)) return skills
  const lines = leftOut.body.split('\n').filter((line) => line.length >= TELLING && !line.startsWith('#'))
  return [...skills, { name: leftOut.name, folder: leftOut.name, text: lines.join('\n') }]
}

const TELLING = 30
