import { join, relative, sep } from 'node:path'
import type { AskedCheck } from '../../checks/checks.ts'
import type { Target } from '../../checks/targets.ts'
import type { Position } from '../../lib/documents/document.ts'

/** What a case of a `claude plugin eval` suite has beyond what every case has. Plain JSON: it crosses to the worker. */
export interface PluginEvalCase {
  /** Its `name`: what reports and `--case` use. Two cases of a plugin may share it, unlike their ids. */
  readonly name: string
  /** Absolute path of the folder with `case.yaml`, `prompt.md` and `graders/`. */
  readonly caseDir: string
  /** Absolute path of the folder of all evals of the plugin, usually `<plugin>/evals`. */
  readonly evalsDir: string
  /** Absolute paths of the plugins that the agent loads and that the other arm lacks; empty where there is none. */
  readonly pluginDirs: readonly string[]
  /** For people; no grader reads it. */
  readonly expectedOutcome: string | null
  /** Runs of each arm, unless an option says otherwise. */
  readonly runs: number
  readonly context: CaseContext
  readonly execution: CaseExecution
  /** At least one; names are unique in the case. In the order of `case.yaml`, then `graders/*.md` by file name. */
  readonly graders: readonly Grader[]
  /** MCP servers that are played by files; each has at least one tool. */
  readonly mocks: readonly MockServer[]
}

/** What is prepared before the agent starts. Paths are those of the case's own folder, as written. */
export interface CaseContext {
  /** A bash script that fills the workspace; runs only with `--scaffold`. */
  readonly scaffold: string | null
  /** A session transcript (`.jsonl`) that the agent resumes; the prompt is its next turn. */
  readonly history: string | null
  /** Folders that the agent may read besides its workspace. */
  readonly addDirs: readonly string[]
}

/** How the agent of a case is run. */
export interface CaseExecution {
  /** 1 to 200, default 10. */
  readonly maxTurns: number
  /** 1 to 3600, default 300. */
  readonly timeoutSeconds: number
  readonly model: string | null
  /** Tool rules as written, such as `Bash(npm test:*)`. Those beyond the read-only tools need a grant of the user. */
  readonly allowedTools: readonly string[]
  /** Built-in tools that are kept from the agent, even where granted. */
  readonly disallowedTools: readonly string[]
  readonly appendSystemPrompt: string | null
  /** Names begin with `EVAL_`. */
  readonly env: Readonly<Record<string, string>>
}

/** One statement about a finished run that scores 1 or 0, times its weight. */
export type Grader = GraderBase &
  (
    | { readonly type: 'file_exists' | 'regex' | 'tool_order' | 'tool_used'; readonly check: AskedCheck }
    /** A judge decides by criteria: three votes, two needed. */
    | { readonly type: 'llm'; readonly criteria: string; readonly focus: Target }
    /** A judge compares the session with a stored one; its file is relative to the folder of the case. */
    | { readonly type: 'baseline'; readonly baselineFile: string; readonly criteria: string }
  )

/** What every grader has. */
interface GraderBase {
  /** From `name`, else the stem of its file. */
  readonly name: string
  /** Above 0, default 1. */
  readonly weight: number
  /**
   * As written. `with-only` is an indicator: with two arms it is reported and not scored. `null` lets the kind decide:
   * `tool_used` of `Skill` is an indicator then, every other grader is scored.
   */
  readonly arm: 'both' | 'with-only' | null
  readonly at: Position
}

/** What a grader looks at; `null` for one that looks at calls or files. */
export function targetOf(grader: Grader): Target | null {
  if (grader.type === 'llm') return grader.focus
  return 'check' in grader && 'target' in grader.check ? (grader.check.target ?? null) : null
}

/** An MCP server of the plugin that files answer for, `mocks/<server>/`. */
export interface MockServer {
  /** The name of its folder: the server's segment of its tools' names. */
  readonly name: string
  /** By name; at least one. */
  readonly tools: readonly MockTool[]
}

/** A tool of a mocked server. */
export interface MockTool {
  readonly name: string
  /** From `_tools.json`; empty where that does not list it. */
  readonly description: string
  /** JSON Schema from `_tools.json`; `{type: "object"}` where that does not list it. */
  readonly inputSchema: Readonly<Record<string, unknown>>
  /** Absolute path of the `_tools.json` that lists it, or of the one beside its responder, which need not exist. */
  readonly toolsFile: string
  readonly responder: MockResponder
}

/** What answers the calls of a tool. */
export type MockResponder = ResponderBase & (AgentResponder | FixedResponder)

/** What every responder has. */
export interface ResponderBase {
  /** What the fields of a call have to be, by dotted path; any other call aborts the run with score 0. */
  readonly expect: Readonly<Record<string, MockExpectation>> | null
  /** Absolute path of its file, `<tool>.md` or `_server.md`. */
  readonly file: string
  /** The first 16 hex digits of the SHA-256 of its file, with line feeds alone. */
  readonly hash: string
}

/** A written answer. It may hold `{{input.field}}` and `{{file:path}}`, a path below the folder of its file. */
export interface FixedResponder {
  readonly kind: 'fixed'
  readonly body: string
  readonly isError: boolean
}

/** A model that plays the server. Its answers are replayed from `.replay/`. */
export interface AgentResponder {
  readonly kind: 'agent'
  readonly prompt: string
  /** Conditions under which it ends the run with score 0. */
  readonly abortWhen: string | null
  /** Absolute path of `.replay/<server>`, which need not exist. */
  readonly replayDir: string
}

/** What a field of a call has to be: a guard, one of several literals, or guards of its own fields. */
export type MockExpectation = MockGuard | readonly MockGuard[] | { readonly [field: string]: MockExpectation }

/** A literal, the name of a type (`string`, `number`, `bool`, `object`, `array`), or a `/pattern/`. */
export type MockGuard = string

/** Which arms cases are run in. `auto`: both, except for a case whose history has the plugin in both. */
export type Ablation = 'auto' | 'none' | 'with-without'

/** Whether a case also runs without its plugins. */
export function isCompared({ context, pluginDirs }: PluginEvalCase, ablation: Ablation): boolean {
  if (ablation === 'none' || pluginDirs.length === 0) return false
  return ablation === 'with-without' || context.history === null
}

/** The folders whose `mocks/` apply to a case, the nearest last: the folder of evals, grouping folders, its own. */
export function mockLayers(caseDir: string, evalsDir: string): readonly string[] {
  const parts = relative(evalsDir, caseDir).split(sep).filter(Boolean)
  return [evalsDir, ...parts.map((_, index) => join(evalsDir, ...parts.slice(0, index + 1)))]
}

/** Absolute paths of the folders that a case of `claude plugin eval` consists of: its own, and those of its mocks. */
export function pluginCaseFolders(pluginCase: PluginEvalCase | null): readonly string[] {
  if (pluginCase === null) return []
  const { caseDir, evalsDir } = pluginCase
  return [caseDir, ...mockLayers(caseDir, evalsDir).map((layer) => join(layer, 'mocks'))]
}
