import type { Engine } from '../engines/engine.ts'
import type { Skill } from '../packages/package.ts'
import type { Conversation } from '../recordings/conversation.ts'
import { createSkillReads, isHiddenFromUser, type SkillText } from '../transcript/skill-reads.ts'
import type { UnnumberedEvent, SessionNames } from '../transcript/transcript.ts'
import type { AgentRequest } from './agent-request.ts'
import { allOf, engines, enginesFor } from '../engines/registry.ts'
import type { SessionEnd } from './session-end.ts'

/** Finds which skills a run has read, by what its requests carried to the model where these are known. */
export function findSkillReads(
  events: readonly UnnumberedEvent[],
  conversation: Conversation | null,
  { prompt, skills }: { readonly prompt: string; readonly skills: readonly SkillText[] },
): readonly UnnumberedEvent[] {
  const threads = conversation?.threads ?? []
  const reads = createSkillReads(skills, [prompt, ...threads.flatMap(({ turns }) => turns[0]?.texts ?? [])])
  if (conversation === null) return events.flatMap((event) => reads.take(event))
  const results = new Map(
    threads.flatMap(({ turns }) => turns.flatMap((turn) => turn.results.map((one) => [one.id, one.text]))),
  )
  return events.flatMap((event) => {
    // A script returns to the model what it chooses of what its calls returned.
    if (event.kind !== 'tool-result' || event.from === 'given to the model') return reads.take(event)
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

/** The names of skills and tools that a session knew. */
export function namesOf(
  request: AgentRequest,
  workspaceSkills: readonly SkillText[],
  { offered = null, summary }: Pick<SessionEnd, 'offered' | 'summary'>,
): SessionNames {
  const { engine } = request.engine
  const packages = [request.package, ...(request.plugins ?? [])]
  // What an engine of the user's own has is known by its requests alone.
  const isUnknown = !Object.hasOwn(engines, engine.name) && (offered ?? []).length === 0
  const { allowedTools = [], disallowedTools = [] } = request.pluginCase?.execution ?? {}
  const { arm, target } = request.evalCase
  // An arm lacks servers, and an agent may have only some tools.
  const hasAllServers = arm === undefined && target?.kind !== 'agent'
  return {
    skills: [
      ...packages.flatMap(({ commands, leftOut, skills }) => [
        ...[...skills, ...(leftOut === undefined ? [] : [leftOut])].map(({ name, alias = name }) => [name, alias]),
        ...commands.map(({ name }) => [name]),
      ]),
      ...workspaceSkills.map(({ name, folder }) => [name, folder]),
      ...(summary.skills ?? []).map((name) => [name]),
    ],
    tools: isUnknown
      ? null
      : {
          ...Object.fromEntries(allOf('toolNames', enginesFor(request)).map((name) => [name, name])),
          ...shownNames(engine, [
            ...(engine.toolNames ?? []),
            ...[...allowedTools, ...disallowedTools].flatMap((rule) => /^[\w-]+/.exec(rule) ?? []),
            ...(offered ?? []),
          ]),
        },
    servers: hasAllServers
      ? [...packages.flatMap(({ mcpServers }) => mcpServers), ...(request.standIns ?? [])].map(({ name }) => name)
      : null,
  }
}

function shownNames({ recordTable }: Pick<Engine, 'recordTable'>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.map((name) => [name, recordTable?.callOf({ kind: 'tool-call', id: '', name, input: {} }).tool ?? name]),
  )
}

/**
 * Names of the tools that the requests of a session offered, and of those that they only list, which a model has to search
 * for first; `null` where nothing was asked.
 */
export function offeredTools({ threads }: Conversation, prompts: readonly string[]): readonly string[] | null {
  const turns = threads.flatMap((thread) => thread.turns)
  if (turns.length === 0) return null
  const found = turns.flatMap(({ offers, results, texts }) => {
    const foreign = new Set([...prompts, ...results.map(({ text }) => text)])
    return [
      ...offers.map(({ name }) => name),
      // A tool that runs scripts describes the tools that these may call.
      ...offers.flatMap(({ description }) => description.match(/\bmcp__[\w-]+/g) ?? []),
      ...texts
        .filter((text) => !foreign.has(text))
        .flatMap((text) => Array.from(text.matchAll(LISTED), ([, name = '']) => name)),
    ]
  })
  return [...new Set(found)].slice(0, MOST)
}

const LISTED = /^(?:- )?([A-Za-z_][\w.-]+)$/gm
const MOST = 2000
