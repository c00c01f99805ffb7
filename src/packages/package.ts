import type { Issue } from '../lib/documents/document.ts'
import { stringOrNull, type JsonObject } from '../lib/json.ts'
import { MOD_EVENT, MOD_EVENT_NAMES } from './hook-events.ts'

/** A package of agent artifacts as it is on disk. Read once per run; plain JSON. */
export interface AgentPackage {
  /** Absolute path. */
  readonly root: string
  /** Absolute path of the folder that paths in reports are relative to, where that is not the root. */
  readonly reportRoot?: string
  /** The layout of Claude Code that the package has; absent for the package format's own. */
  readonly layout?: 'plugin' | 'project'
  /** Paths below the root that make up the package, where that is not the whole folder. */
  readonly only?: readonly string[]
  /** `null` when the manifest (`package.agent.json` or `.yaml`, `plugin.json`) is missing or unreadable. */
  readonly manifest: PackageManifest | null
  readonly skills: readonly Skill[]
  /** The skill that no session may see; absent where all are offered. */
  readonly leftOut?: Skill
  readonly commands: readonly Command[]
  readonly agents: readonly SubAgent[]
  readonly rules: readonly Rule[]
  readonly hookGroups: readonly HookGroup[]
  /** Absolute path of the first file that declares hooks, or `null`. */
  readonly hooksFile: string | null
  readonly mcpServers: readonly McpServer[]
  /** Absolute path of the first file that declares MCP servers, or `null`. */
  readonly mcpFile: string | null
  /** Absolute path of AGENTS.md, or `null`. */
  readonly instructionsFile: string | null
  /** What its sessions have of a project's settings besides hooks; absent where it has none. */
  readonly settings?: ProjectSettings
  /** Paths below the root that its instructions import; absent where they import nothing. */
  readonly imports?: readonly string[]
  /** Whether it is the folder of an agent, of which the workspace gets a copy and the agent's own logs stay out. */
  readonly vault?: boolean
  /** What is wrong with the package; `part` says which cases an error concerns. */
  readonly findings: readonly PackageFinding[]
}

/** The settings of a project that its sessions have, besides its hooks. */
export interface ProjectSettings {
  /** Rules of what no call may do. */
  readonly deny: readonly string[]
  /** Variables of the session. */
  readonly env: Readonly<Record<string, string>>
  /** Whether no hook runs. */
  readonly disablesHooks: boolean
}

/** An issue of one part of a package; `null` concerns every case. */
export interface PackageFinding extends Issue {
  readonly part: {
    readonly kind: 'skill' | 'hook' | 'agent' | 'command' | 'rule' | 'mcp'
    readonly name: string
  } | null
}

export interface PackageManifest {
  readonly file: string
  readonly name: string | null
  readonly version: string | null
  /** The whole manifest. */
  readonly raw: JsonObject
}

export interface Skill {
  /** Name of its folder, or of a plugin that is one skill the one in its front matter: the name an engine calls it by. */
  readonly name: string
  /** The other of these names, where they differ. */
  readonly alias?: string
  /** Absolute path of its folder. */
  readonly dir: string
  /** Absolute path of the folder that `dir` leads to, where that is behind a link. */
  readonly source?: string
  /** Absolute path of SKILL.md. */
  readonly file: string
  readonly description: string
  /** SKILL.md below its front matter. */
  readonly body: string
  /** Who is not offered it, by what its front matter says: the model, or the person who would type its name. */
  readonly hiddenFrom?: 'model' | 'user'
}

/** The skill of a package that is in a folder, whatever link leads there. */
export function skillIn(pkg: Pick<AgentPackage, 'skills'>, folder: string): Skill | undefined {
  return pkg.skills.find(({ dir, source }) => dir === folder || source === folder)
}

export interface Command {
  /** What follows the slash: `deploy`, or `plugin:deploy`. */
  readonly name: string
  /** Whether it is written for Claude Code. */
  readonly native?: true
  readonly file: string
  readonly description: string
  readonly body: string
  readonly variables: readonly CommandVariable[]
}

export interface CommandVariable {
  readonly name: string
  readonly description: string | null
  readonly required: boolean
  readonly enum: readonly string[] | null
  readonly default: string | null
}

export interface SubAgent {
  readonly name: string
  /** Whether it is written for Claude Code. */
  readonly native?: true
  readonly description: string
  /** agent.yaml, or the single legacy `agents/<name>.md`. */
  readonly file: string
  /** The file that holds the prompt. */
  readonly promptFile: string
  readonly prompt: string
  /** Files that the prompt is put together from, where it is more than one. */
  readonly parts?: readonly { readonly file: string; readonly text: string }[]
  readonly skills: readonly string[]
  readonly tools: readonly string[]
}

export interface Rule {
  /** Path below `rules/`, such as `style` or `web/react`. */
  readonly name: string
  readonly file: string
}

/** One entry of an event's list in hooks.json. */
export interface HookGroup {
  /** Name of the event, such as `pre-tool-use`. */
  readonly event: string
  /** Index in the event's list: the AAM text's `hook-index`. */
  readonly index: number
  /** Regular expression on the tool's name; `null` matches every tool. */
  readonly matcher: string | null
  readonly hooks: readonly Hook[]
  /** Where it is written, for a group in the spelling of Claude Code, whose scripts read and write that spelling. */
  readonly native?: { readonly file: string; readonly path: readonly (string | number)[] }
}

export type Hook =
  | { readonly type: 'command'; readonly command: string; readonly timeout: number; readonly fields?: JsonObject }
  | { readonly type: 'prompt'; readonly prompt: string; readonly timeout: number; readonly fields?: JsonObject }
  /** A kind that only Claude Code has, such as `http` or `agent`. */
  | { readonly type: 'native'; readonly kind: string; readonly timeout: number; readonly fields: JsonObject }

export interface McpServer {
  readonly name: string
  /** As written, `${VAR}`, `${PACKAGE_ROOT}` and the like not yet expanded. */
  readonly config: JsonObject
}

/** A package of nothing but what is named. */
export function barePackage(parts: Pick<AgentPackage, 'root' | 'skills'> & Partial<AgentPackage>): AgentPackage {
  return {
    manifest: null,
    commands: [],
    agents: [],
    rules: [],
    hookGroups: [],
    hooksFile: null,
    mcpServers: [],
    mcpFile: null,
    instructionsFile: null,
    findings: [],
    ...parts,
  }
}

/** Absolute path of the module of a mod's group; `null` for any other group. */
export function modOf({ event, hooks: [hook] }: HookGroup): string | null {
  return event === MOD_EVENT && hook?.type === 'native' ? stringOrNull(hook.fields['module']) : null
}

/** The events of a package's hooks; with a mod all that one may handle, since only a session shows which it does. */
export function eventsOfHooks({ hookGroups }: Pick<AgentPackage, 'hookGroups'>): readonly string[] {
  return [...new Set(hookGroups.flatMap(({ event }) => (event === MOD_EVENT ? MOD_EVENT_NAMES : [event])))]
}

/** A package in which the commands of an event's hooks do nothing. */
export function withIdleHooks(pkg: AgentPackage, event: string): AgentPackage {
  const hookGroups = pkg.hookGroups.map((group) =>
    group.event === event ? { ...group, hooks: group.hooks.map(idle) } : group,
  )
  // Nothing tells which events a mod handles, and it cannot be there and do nothing.
  return { ...pkg, hookGroups: hookGroups.filter((group) => modOf(group) === null) }
}

function idle(hook: Hook): Hook {
  return hook.type === 'command' ? { ...hook, command: 'exit 0' } : hook
}

/** What a loader of one kind of part hands back. */
export interface Loaded<T> {
  readonly parts: readonly T[]
  readonly findings: readonly PackageFinding[]
}

/** Says which part each issue concerns. */
export function findingsOf(part: PackageFinding['part'], issues: readonly Issue[]): readonly PackageFinding[] {
  return issues.map((issue) => ({ ...issue, part }))
}

/** What a loader hands back of a part that cannot be read, or of what is no part. */
export function noParts(part: PackageFinding['part'], issues: readonly Issue[]): Loaded<never> {
  return { parts: [], findings: findingsOf(part, issues) }
}

/** Puts what several loads brought together, in their order. */
export function joinLoaded<T>(all: readonly Loaded<T>[]): Loaded<T> {
  return { parts: all.flatMap(({ parts }) => parts), findings: all.flatMap(({ findings }) => findings) }
}

/** Whether any of these costs the part they are about. */
export function hasError(issues: readonly Issue[]): boolean {
  return issues.some(({ severity }) => severity === 'error')
}
