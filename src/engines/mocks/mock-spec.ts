import type { MockExpectation } from '../../formats/plugin-eval/model.ts'
import type { JsonObject } from '../../lib/json.ts'
import type { InstalledStandIn, SessionPaths } from '../engine.ts'

/** What the stand-in of one MCP server is started with, as JSON. */
export interface MockSpec {
  /** The folder of its mocks; the stand-in of a server without mocks has no tools. */
  readonly server: string
  /** Marks the answers of this run's stand-ins that end it. */
  readonly nonce: string
  readonly tools: readonly MockSpecTool[]
}

/** A tool of a stand-in. */
export interface MockSpecTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: Readonly<Record<string, unknown>>
  readonly responder: MockSpecResponder
}

/** What answers the calls of a tool, with all that it needs: the folder of the evals is not in the sandbox. */
export interface MockSpecResponder {
  readonly kind: 'agent' | 'fixed'
  /** The answer, or the description of the server that a model plays. */
  readonly text: string
  readonly isError: boolean
  readonly hash: string
  readonly expect: Readonly<Record<string, MockExpectation>> | null
  /** Files that a text may hold, by path below the folder of the mock. */
  readonly files: Readonly<Record<string, string>>
  /** Recorded answers of a model, by the name of their file. */
  readonly recorded: Readonly<Record<string, RecordedMockAnswer>>
}

/** An answer of a model that played a server. */
export interface RecordedMockAnswer {
  readonly output: string
  readonly verdict: 'abort' | 'ok' | 'tool_error'
}

/** Begins the text of a call that ends the run; the nonce follows. */
export const ABORTED = 'eval aborted by mock'

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
