import type { MockExpectation } from '../../suites/formats/plugin-eval/model.ts'

/** What the stand-in of one MCP server is started with, as JSON. */
export interface MockSpec {
  /** The folder of its mocks; the stand-in of a server without mocks has no tools. */
  readonly server: string
  /** Marks the lines that the stand-ins of this run wrote. */
  readonly nonce: string
  /** Absolute path of the log of calls, as the session sees it. */
  readonly log: string
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
