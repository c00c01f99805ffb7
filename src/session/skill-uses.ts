import type { Engine } from '../engines/engine.ts'
import type { Skill } from '../packages/package.ts'
import type { Conversation } from '../recordings/conversation.ts'
import { decidesRun, plainName } from '../transcript/select.ts'
import { createSkillReads, isHiddenFromUser, type SkillText } from '../transcript/skill-reads.ts'
import type { UnnumberedEvent } from '../transcript/transcript.ts'
import type { AgentRequest } from './agent-request.ts'

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
    // What a tool claims in the session's name is carried, too.
    if (event.kind !== 'tool-result' || !isKnown || event.from === 'given to the model') return reads.take(event)
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

/**
 * Compares the uses of skills that the gateway and the stream show, where such a use decides the run. A tool that asks the
 * model in the name of the session makes the one, a tool that writes to the stream the other.
 */
export function compareUses(
  events: readonly UnnumberedEvent[],
  ended: { readonly conversation: Conversation | null; readonly events: readonly UnnumberedEvent[] },
  { request, prompt }: { readonly request: Pick<AgentRequest, 'endsWith' | 'engine'>; readonly prompt: string },
): { readonly unshown: readonly UnnumberedEvent[]; readonly problem: string | null } {
  const { recordTable } = request.engine.engine
  const { endsWith } = request
  if (ended.conversation === null || recordTable === undefined || endsWith === undefined)
    return { unshown: [], problem: null }
  const shown = new Set(ended.events.map(nameOfUse))
  const unshown = events.filter(
    (event) =>
      event.kind === 'skill-used' &&
      (event.agent === null || recordTable.showsCalls) &&
      !shown.has(nameOfUse(event)) &&
      // No stream shows what the prompt names.
      event.via !== 'command' &&
      !prompt.includes(`$${plainName(event.skill)}`),
  )
  const hasEnded = (some: readonly UnnumberedEvent[]): boolean => some.some((event) => decidesRun(event, endsWith))
  const isClaimed = hasEnded(ended.events) && !hasEnded(events)
  return { unshown, problem: isClaimed ? CLAIMED : unshown.length > 0 ? UNSHOWN : null }
}

// Sub-agents have other names in each record.
function nameOfUse(event: UnnumberedEvent): string | null {
  return event.kind === 'skill-used' ? JSON.stringify([event.agent === null, plainName(event.skill)]) : null
}

const UNSHOWN =
  'The gateway saw the use of a skill that the engine does not show: something in the session asked the model in its name.'
const CLAIMED = 'The engine shows the use of a skill that ended the run, and the gateway saw no such call of the model.'
