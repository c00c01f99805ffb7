import { formatIssue } from '../lib/documents/document.ts'
import { suggestName } from '../lib/documents/nearest-name.ts'
import { UNIVERSAL_EVENT_NAMES, findHookEvent, suggestEvent } from '../packages/hook-events.ts'
import { pathFrom } from '../packages/package-root.ts'
import { eventsOfHooks, type AgentPackage } from '../packages/package.ts'
import type { Target } from './suite.ts'

/** A target, or the sentence that says why there is none. */
export type ParsedTarget =
  | { readonly target: Target; readonly problem: null }
  | { readonly target: null; readonly problem: string }

const KINDS = ['skill', 'hook', 'agent'] as const

/** Reads `skill:<name>`, `hook:<event>` or `agent:<name>`. Whether there is such a part is another question. */
export function parseTarget(text: string): ParsedTarget {
  const [written = '', ...rest] = text.split(':')
  const name = rest.join(':').trim()
  const kind = KINDS.find((one) => one === written)
  if (kind === undefined) {
    return refuse(
      `expected skill:<name>, hook:<event> or agent:<name>, got ${quote(text)}.${suggestName(written, KINDS)}`,
    )
  }

  if (name === '') return refuse(`the name after "${kind}:" is missing`)
  if (kind !== 'hook') return { target: { kind, name }, problem: null }
  const event = findHookEvent(name)
  if (event !== null) return { target: { kind, name: event.name }, problem: null }

  const advice = suggestEvent(name)
  return refuse(`${quote(name)} is not a hook event; there are ${UNIVERSAL_EVENT_NAMES.join(', ')}.${advice}`)
}

/** A target in the one spelling that cases have: `hook:PreToolUse` is `hook:pre-tool-use`. */
export function canonicalTarget(text: string): string {
  const { target } = parseTarget(text)
  return target === null ? text : `${target.kind}:${target.name}`
}

/** A skill by the name of its folder, by whichever of its names the target has it. */
export function withAlias(target: Target, { skills }: Pick<AgentPackage, 'skills'>): Target {
  if (target.kind !== 'skill') return target
  const others = skills.filter(({ alias }) => alias === target.name)
  // A name that two skills have is for neither.
  const named = skills.find(({ name }) => name === target.name) ?? (others.length === 1 ? others[0] : undefined)
  if (named?.alias === undefined) return target
  return { kind: 'skill', name: named.name, alias: named.alias }
}

/** Every spelling of a target, the usual one first. */
export function spellingsOf(target: Target): readonly string[] {
  return namesOfTarget(target).map((name) => `${target.kind}:${name}`)
}

/** Every name of a target, the one that engines call it by first. */
export function namesOfTarget(target: Target): readonly string[] {
  return target.kind === 'skill' && target.alias !== undefined ? [target.name, target.alias] : [target.name]
}

/** Why the package does not have exactly one such part in working order, or `null` when it does. */
export function checkTarget(target: Target, agentPackage: AgentPackage): string | null {
  const broken = agentPackage.findings.find(
    ({ severity, part }) => severity === 'error' && part?.kind === target.kind && part.name === target.name,
  )
  if (broken?.code === 'duplicate-skill') {
    return `two skills of the package are called ${quote(target.name)}; rename one of them`
  }

  if (broken !== undefined) return `this ${target.kind} is broken: ${formatIssue(broken, agentPackage.root)}`
  const names = namesOf(target.kind, agentPackage)
  if (names.includes(target.name)) return null
  if (target.kind === 'hook') return lacksHook(target.name, names, agentPackage)
  return `the package has no ${target.kind} ${quote(target.name)}.${suggestName(target.name, names) || listed(names)}`
}

function lacksHook(event: string, names: readonly string[], { root, hooksFile, settings }: AgentPackage): string {
  if (settings?.disablesHooks === true)
    return 'disableAllHooks is true in .claude/settings.json, so no hook runs. Remove it there.'
  if (hooksFile === null)
    return `the package has no hooks file, so there is no hook for ${quote(event)}. Declare hooks in hooks/hooks.json.`
  return `${pathFrom(root, hooksFile)} has no hook for ${quote(event)}.${listed(names)}`
}

function namesOf(kind: Target['kind'], agentPackage: AgentPackage): readonly string[] {
  if (kind === 'skill') return agentPackage.skills.map(({ name }) => name)
  if (kind === 'agent') return agentPackage.agents.map(({ name }) => name)
  return eventsOfHooks(agentPackage)
}

function listed(names: readonly string[]): string {
  return names.length === 0 || names.length > 10 ? '' : ` It has ${names.join(', ')}.`
}

function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}...` : text)
}

function refuse(problem: string): ParsedTarget {
  return { target: null, problem }
}
