import { suggestName } from '../../lib/documents/nearest-name.ts'
import { formatJson, type JsonObject } from '../../lib/json.ts'
import { ownProgram } from '../../own-folder.ts'
import { UNIVERSAL_EVENT_NAMES, findHookEvent, type HookEvent } from '../../packages/hook-events.ts'
import { nativeVariables } from '../../packages/package-root.ts'
import { modOf, type AgentPackage, type Hook, type HookGroup } from '../../packages/package.ts'
import type { Installation, SessionPaths } from '../engine.ts'
import type { HookPlan, PlannedHook } from './hook-plan.ts'

/** One entry of an event in an engine's settings, in the shape that Claude Code gave it and others took over. */
interface NativeHookGroup {
  readonly matcher?: string
  readonly hooks: readonly JsonObject[]
}

/** What {@link installHooks} returns. */
interface InstalledHooks {
  /** The file that registers them; none when the package has no hooks. */
  readonly files: Installation['files']
  readonly plan: HookPlan
  readonly warnings: readonly string[]
}

/** What an engine makes of hooks. */
export interface HookDialect {
  /** Its name for people. */
  readonly engine: string
  /** The file of the workspace that registers hooks, and what it says besides. */
  readonly file: string
  readonly head?: JsonObject
  /** Its name of a universal event; `null` when it has no such event. */
  readonly eventOf: (event: HookEvent) => string | null
  /** Whether it runs hooks that are a prompt. */
  readonly runsPrompts: boolean
  /** Whether it loads mods, which it is given otherwise. */
  readonly loadsMods?: true
  /** Its names of tools in a matcher; default: those of Claude Code. */
  readonly matcherOf?: (matcher: string) => string
}

/** Registers every command hook through the shim, which records what it decides; prompt hooks go to the engine as they are. */
export function installHooks(
  pkg: AgentPackage,
  paths: SessionPaths,
  { engine, file: to, head, eventOf, runsPrompts, loadsMods, matcherOf = (matcher) => matcher }: HookDialect,
): InstalledHooks {
  const settings: Record<string, NativeHookGroup[]> = {}
  const planned: PlannedHook[] = []
  const warnings: string[] = []
  for (const group of pkg.hookGroups) {
    const file = group.native?.file ?? pkg.hooksFile ?? 'hooks.json'
    if (modOf(group) !== null) {
      if (!loadsMods) warnings.push(`${file}: ${engine} has no mods, so that of the package is omitted.`)
      continue
    }
    const event = findHookEvent(group.event)
    if (event === null) {
      const hint = suggestName(group.event, UNIVERSAL_EVENT_NAMES)
      warnings.push(`${file}: there is no hook event "${group.event}", so its hooks are omitted.${hint}`)
      continue
    }

    const native = eventOf(event)
    const hooks = group.hooks.filter((hook) => runsPrompts || hook.type === 'command')
    if (native === null || hooks.length < group.hooks.length) {
      const what = native === null ? `hooks of ${group.event}` : 'hooks that are not a command'
      warnings.push(`${file}: ${engine} has no ${what}, so they are omitted.`)
    }
    if (native === null || hooks.length === 0) continue

    const entries = hooks.map((hook, index) => register(hook, idOf(group, index), paths))
    const matcher: { readonly matcher?: string } = group.matcher === null ? {} : { matcher: matcherOf(group.matcher) }
    settings[native] = [...(settings[native] ?? []), { ...matcher, hooks: entries }]
    planned.push(...hooks.flatMap((hook, index) => plan(hook, group, idOf(group, index), matcher.matcher ?? null)))
  }

  const content = formatJson({ ...head, hooks: settings })
  // Hooks of Claude Code's layouts rely on its variables.
  const isNative = pkg.layout !== undefined || pkg.hookGroups.some(({ native }) => native !== undefined)
  return {
    files: Object.keys(settings).length === 0 ? [] : [{ to, content, readOnly: true }],
    plan: { packageRoot: paths.packageRoot, hooks: planned, ...(isNative ? { env: nativeVariables(paths) } : {}) },
    warnings,
  }
}

function idOf(group: HookGroup, index: number): string {
  return `${group.event}-${group.index}-${index}`
}

function register(hook: Hook, id: string, paths: SessionPaths): NativeHookGroup['hooks'][number] {
  if (hook.type === 'native') return hook.fields
  if (hook.type === 'prompt') {
    return {
      ...hook.fields,
      type: 'prompt',
      prompt: hook.prompt.replaceAll('${PACKAGE_ROOT}', () => paths.packageRoot),
      timeout: hook.timeout,
    }
  }
  const command = [paths.node, paths.shim, paths.hooks].map(quote).join(' ')
  // The shim keeps the hook's own time: it must outlive it to say so.
  return {
    ...hook.fields,
    type: 'command',
    command: `${command} ${id}`,
    timeout: Math.ceil(hook.timeout) + SHIM_SECONDS,
  }
}

function plan(hook: Hook, { event, native }: HookGroup, id: string, matcher: string | null): readonly PlannedHook[] {
  if (hook.type !== 'command') return []
  const { command, timeout, fields } = hook
  return [
    {
      id,
      event,
      // Further fields, such as a condition, decide too whether it runs.
      ...(fields === undefined ? { matcher } : {}),
      command,
      timeout,
      ...(fields?.['async'] === true ? { async: true as const } : {}),
      ...(native === undefined ? {} : { native: true as const }),
    },
  ]
}

function quote(word: string): string {
  return `"${word.replaceAll(/[\\"$`]/g, String.raw`\$&`)}"`
}

const SHIM_SECONDS = 30

/** Absolute path of the hook shim: one file, since a sandbox shows nothing else of ours. */
export function hookShimFile(): string {
  return ownProgram('engines/hooks/hook-shim.js')
}
