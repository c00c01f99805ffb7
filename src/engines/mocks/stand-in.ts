import type { JsonObject } from '../../json.ts'
import type { SessionPaths } from '../engine.ts'

/** An MCP server of a session that files answer for. */
export interface InstalledStandIn {
  /** The name of the server whose place it takes, else its own. */
  readonly name: string
  /** The name of the plugin that declares the server; `null` for one that stands alone. */
  readonly plugin: string | null
  /** Names of its tools; a server without mocks has none. */
  readonly tools: readonly string[]
}

/** What all stand-ins of a session answer with, below the config folder. */
export const MOCK_SPEC_FILE = 'mock-servers.json'

/** The program that plays them, below the config folder. */
export const MOCK_PROGRAM_FILE = 'mock-server.js'

/** How a session starts a stand-in. */
export function standInConfig(standIn: InstalledStandIn, { config, node }: SessionPaths): JsonObject {
  const args = [`${config}/${MOCK_PROGRAM_FILE}`, `${config}/${MOCK_SPEC_FILE}`, registeredName(standIn)]
  return { command: node, args }
}

/** The name under which Claude Code knows a server: one of a plugin has the plugin's name in it. */
export function registeredName({ name, plugin }: Pick<InstalledStandIn, 'name' | 'plugin'>): string {
  return plugin === null ? name : `plugin:${plugin}:${name}`
}

/** The names by which an agent of Claude Code calls the tools of a server, by their own. */
export function toolName(server: string, tool: string): string {
  return `mcp__${segmentOf(server)}__${tool}`
}

/** A name as it is a part of the names of tools. */
export function segmentOf(name: string): string {
  return name.replaceAll(/[^\w-]/g, '_')
}
