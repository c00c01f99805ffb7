import type { Position } from '../../lib/documents/document.ts'
import { join, relative, sep } from 'node:path'

/** What a case of a `claude plugin eval` suite has beyond what every case has. Plain JSON: it crosses to the worker. */
export interface PluginEvalCase {
  /** Its `name`: what reports and `--case` use. Two cases of a plugin may share it, unlike their ids. */
  readonly name: string
  /** Absolute path of the folder with `case.yaml`, `prompt.md` and `graders/`. */
  readonly caseDir: string
  /** Absolute path of the folder of all evals of the plugin, usually `<plugin>/evals`. */
  readonly evalsDir: string
  /** Which files define it. */
  readonly source: 'case_yaml' | 'mixed' | 'prose'
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

/** What is prepared before the agent starts. */
export interface CaseContext {
  /** A bash script that fills the workspace; runs only with `--scaffold`. */
  readonly scaffold: CasePath | null
  /** A session transcript (`.jsonl`) that the agent resumes; the prompt is its next turn. */
  readonly history: CasePath | null
  /** Folders that the agent may read besides its workspace. */
  readonly addDirs: readonly CasePath[]
}

/** A path that a case names, inside its own folder. */
export interface CasePath {
  /** As written. */
  readonly path: string
  /** Absolute. */
  readonly file: string
  readonly at: Position
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
  (BaselineGrader | FileExistsGrader | LlmGrader | RegexGrader | ToolOrderGrader | ToolUsedGrader)

/** What every grader has. */
export interface GraderBase {
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

/** A pattern over a text. */
export interface RegexGrader {
  readonly type: 'regex'
  readonly pattern: string
  /** Any of `dgimsuvy`. */
  readonly flags: string
  readonly match: 'contains' | 'not_contains' | { readonly count: number }
  readonly target: GraderTarget
}

/** The first call of one tool precedes the first call of another. */
export interface ToolOrderGrader {
  readonly type: 'tool_order'
  readonly before: ToolMatch
  readonly after: ToolMatch
}

/** How often a tool is called. */
export interface ToolUsedGrader extends ToolMatch {
  readonly type: 'tool_used'
  /** `null`: at least once. */
  readonly min: number | null
  /** `null`: without limit. */
  readonly max: number | null
}

/** A call of a tool. */
export interface ToolMatch {
  /** The engine's own name of the tool, compared exactly. */
  readonly tool: string
  /** A regular expression without flags over the input as JSON; `null` matches every call. */
  readonly inputMatch: string | null
}

/** Whether the run created a file whose path matches. */
export interface FileExistsGrader {
  readonly type: 'file_exists'
  /** A glob over paths relative to the workspace. */
  readonly path: string
  /** Default true. */
  readonly exists: boolean
}

/** A judge decides by criteria: three votes, two needed. */
export interface LlmGrader {
  readonly type: 'llm'
  readonly criteria: string
  readonly focus: GraderTarget
}

/** A judge compares the last message with a stored answer. */
export interface BaselineGrader {
  readonly type: 'baseline'
  /** Relative to the folder of the case. */
  readonly baselineFile: CasePath
  readonly criteria: string
}

/** What a grader looks at. */
export type GraderTarget =
  /** The last text of the agent; the default. */
  | { readonly kind: 'last_message' }
  /** Every event of the session, one JSON value a line. */
  | { readonly kind: 'trace' }
  /** Paths of the files that the run created, one a line. */
  | { readonly kind: 'files' }
  /** Calls of mocked tools, one a line. */
  | { readonly kind: 'mock_calls' }
  /** The content of a file of the workspace; a judge gets an image as an image. */
  | { readonly kind: 'file'; readonly path: string }

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

/** A literal, the name of a type (`string`, `number`, `bool`, `object`, `array`), or a `/pattern/` in a small dialect. */
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
export function pluginCaseFolders({ caseDir, evalsDir }: PluginEvalCase): readonly string[] {
  return [caseDir, ...mockLayers(caseDir, evalsDir).map((layer) => join(layer, 'mocks'))]
}

/** What a grader asks, in one sentence; for those of a judge the author's own words. */
export function describeGrader(grader: Grader): { readonly text: string; readonly by: 'check' | 'judge' } {
  switch (grader.type) {
    case 'llm':
      return {
        text: `${grader.criteria}${grader.focus.kind === 'last_message' ? '' : ` (of ${describeTarget(grader.focus)})`}`,
        by: 'judge',
      }
    case 'baseline':
      return { text: `${grader.criteria} (compared with ${grader.baselineFile.path})`, by: 'judge' }
    case 'regex':
      return { text: describeRegex(grader), by: 'check' }
    case 'tool_used':
      return { text: describeUse(grader), by: 'check' }
    case 'tool_order':
      return { text: `${describeTool(grader.before)} is called before ${describeTool(grader.after)}.`, by: 'check' }
    case 'file_exists':
      return { text: `${grader.path} is ${grader.exists ? '' : 'not '}created.`, by: 'check' }
  }
}

function describeRegex({ pattern, flags, match, target }: RegexGrader): string {
  const subject = describeTarget(target)
  const written = `/${pattern}/${flags}`
  const start = `${subject[0]?.toUpperCase() ?? ''}${subject.slice(1)}`
  if (match === 'contains') return `${start} matches ${written}.`
  if (match === 'not_contains') return `${start} does not match ${written}.`
  return `${start} matches ${written} ${match.count === 1 ? 'once' : `${match.count} times`}.`
}

function describeUse(grader: ToolUsedGrader): string {
  const { min, max } = grader
  const least = min ?? 1
  const often =
    max === 0
      ? 'not called'
      : max === null
        ? `called${least === 1 ? '' : ` at least ${least} times`}`
        : max === least
          ? `called exactly ${least === 1 ? 'once' : `${least} times`}`
          : `called ${least} to ${max} times`
  return `${describeTool(grader)} is ${often}.`
}

function describeTool({ tool, inputMatch }: ToolMatch): string {
  return inputMatch === null ? tool : `${tool} with an input that matches /${inputMatch}/`
}

/** What a grader looks at, as a part of a sentence. */
function describeTarget(target: GraderTarget): string {
  switch (target.kind) {
    case 'last_message':
      return 'the last message'
    case 'trace':
      return 'the trace'
    case 'files':
      return 'the list of created files'
    case 'mock_calls':
      return 'the calls of mocked tools'
    case 'file':
      return `the file ${target.path}`
  }
}
