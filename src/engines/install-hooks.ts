import { suggestName } from '../documents/nearest-name.ts'
import { findUniversalEvent, UNIVERSAL_EVENT_NAMES, type UniversalEvent } from '../packages/universal-events.ts'
import type { AgentPackage, Hook, HookGroup } from '../packages/package.ts'
import type { PlannedHook, SessionPaths } from './engine.ts'

/** One entry of an event in an engine's settings, in the shape that Claude Code gave it and others took over. */
export interface NativeHookGroup {
  readonly matcher?: string
  readonly hooks: readonly (
    | { readonly type: 'command'; readonly command: string; readonly timeout: number }
    | { readonly type: 'prompt'; readonly prompt: string; readonly timeout: number }
  )[]
}

/** What {@link installHooks} returns. */
export interface InstalledHooks {
  /** By native event; `null` when the package has no hooks. */
  readonly settings: Readonly<Record<string, readonly NativeHookGroup[]>> | null
  readonly planned: readonly PlannedHook[]
  readonly warnings: readonly string[]
}

/** What an engine makes of hooks. */
export interface HookDialect {
  /** Its name for people. */
  readonly engine: string
  /** Its name of a universal event; `null` when it has no such event. */
  readonly eventOf: (event: UniversalEvent) => string | null
  /** Whether it runs hooks that are a prompt. */
  readonly runsPrompts: boolean
  /** Its names of tools in a matcher; default: those of Claude Code. */
  readonly matcherOf?: (matcher: string) => string
}

/** Registers every command hook through the shim, which records what it decides; prompt hooks go to the engine as they are. */
export function installHooks(
  { hookGroups, hooksFile }: AgentPackage,
  paths: SessionPaths,
  { engine, eventOf, runsPrompts, matcherOf = (matcher) => matcher }: HookDialect,
): InstalledHooks {
  const settings: Record<string, NativeHookGroup[]> = {}
  const planned: PlannedHook[] = []
  const warnings: string[] = []
  for (const group of hookGroups) {
    const event = findUniversalEvent(group.event)
    if (event === null) {
      const hint = suggestName(group.event, UNIVERSAL_EVENT_NAMES)
      warnings.push(
        `${hooksFile ?? 'hooks.json'}: there is no hook event "${group.event}", so its hooks are left out.${hint}`,
      )
      continue
    }

    const native = eventOf(event)
    const hooks = group.hooks.filter((hook) => runsPrompts || hook.type === 'command')
    if (native === null || hooks.length < group.hooks.length) {
      const what = native === null ? `hooks of ${group.event}` : 'hooks that are a prompt'
      warnings.push(`${hooksFile ?? 'hooks.json'}: ${engine} has no ${what}, so they are left out.`)
    }
    if (native === null || hooks.length === 0) continue

    const entries = hooks.map((hook, index) => register(hook, idOf(group, index), paths))
    const matcher = group.matcher === null ? {} : { matcher: matcherOf(group.matcher) }
    settings[native] = [...(settings[native] ?? []), { ...matcher, hooks: entries }]
    planned.push(...hooks.flatMap((hook, index) => plan(hook, group.event, idOf(group, index))))
  }

  return { settings: Object.keys(settings).length === 0 ? null : settings, planned, warnings }
}

function idOf(group: HookGroup, index: number): string {
  return `${group.event}-${group.index}-${index}`
}

function register(hook: Hook, id: string, paths: SessionPaths): NativeHookGroup['hooks'][number] {
  if (hook.type === 'prompt') {
    return {
      type: 'prompt',
      prompt: hook.prompt.replaceAll('${PACKAGE_ROOT}', () => paths.packageRoot),
      timeout: hook.timeout,
    }
  }
  const command = [paths.node, paths.shim, paths.hooks].map(quote).join(' ')
  // The shim keeps the hook's own time: it must outlive it to say so.
  return { type: 'command', command: `${command} ${id}`, timeout: Math.ceil(hook.timeout) + SHIM_SECONDS }
}

function plan(hook: Hook, event: string, id: string): readonly PlannedHook[] {
  return hook.type === 'command' ? [{ id, event, command: hook.command, timeout: hook.timeout }] : []
}

function quote(word: string): string {
  return `"${word.replaceAll(/[\\"$`]/g, String.raw`\$&`)}"`
}

const SHIM_SECONDS = 30
