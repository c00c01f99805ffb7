import type { CaseExecution } from '../formats/plugin-eval/model.ts'
import type { Target } from '../formats/suite.ts'
import type { LeaseGrant, WireName } from '../gateway/leases/lease.ts'
import type { JsonObject, JsonValue } from '../lib/json.ts'
import type { AgentPackage, Command } from '../packages/package.ts'
import type { EngineTraffic, ModelAnswer, OwnValue } from '../recordings/messages.ts'
import type { HookPlan, HookRuntime, ModSession, RecordedDecision } from './hooks/hook-plan.ts'
import type { RecordTable, StreamReader } from './stream.ts'
import type { VersionSupport } from './version-support.ts'

/** An agent runtime that can be driven. A user's own has the same interface. */
export type Engine = ProgramEngine | DirectEngine

/** A call of a tool; its input is a text for a tool that takes free text. */
export interface WrittenCall {
  readonly tool: string
  readonly input: Readonly<Record<string, string>> | string
}

/** The calls by which a model does something; `path` is relative to the workspace. */
export interface ToolCalls {
  readonly useSkill: (name: string) => WrittenCall
  readonly readFile: (path: string) => WrittenCall
  /** Several where its tool for files makes no folders. */
  readonly writeFile: (path: string, content: string) => readonly WrittenCall[]
  readonly runCommand: (command: string) => WrittenCall
  /** Absent where it has no tool that only looks for files. */
  readonly findFiles?: (pattern: string) => WrittenCall
}

/** What every engine has. */
export interface EngineBase {
  readonly name: string
  /** Wire of the gateway that it talks to. */
  readonly wire: WireName
  /** Model that a scenario is asked as where none is named, for engines whose tools depend on the model. */
  readonly scenarioModel?: string
  /** Id or alias of the model that it asks where none is named; absent where that depends on more than its program. */
  readonly defaultModel?: string
  /** How it takes several messages of the user in one process; without it each is a process that resumes the session. */
  readonly dialogue?: Dialogue
  /** Whether it can go on with a session that has ended, in the same workspace and HOME. */
  readonly resumes?: true
  /** Whether it can do so only with a session that it was asked to keep: where a case has several turns. */
  readonly resumesKept?: true
  /** Whether it goes on with the transcript of a session of Claude Code. */
  readonly resumesTranscripts?: true
  /** Whether it loads plugins of Claude Code as such, several of them beside each other. */
  readonly loadsPlugins?: true
  /** Writes the package in the engine's own layout. Pure: returns what to write. */
  install(request: InstallRequest): Installation
  /** The calls of its tools; default: those of the default engine. */
  readonly calls?: ToolCalls
  /** The name of the command that a prompt begins with, where the engine loads a skill by it. Pure. */
  commandOf?(prompt: string): string | null
  /** Where it writes durations, counts, ids and dates of its own into the results of tools: these are never drift. */
  readonly ownValues?: readonly OwnValue[]
  /** Names of its tools. */
  readonly toolNames?: readonly string[]
  /** Tools by which it asks the user, who is not there. */
  readonly askTools?: readonly string[]
  /** Files and folders of a workspace that it reads or writes itself: a case's own files stay out of them. */
  readonly ownPaths?: readonly string[]
  /** How variables begin that configure it or its API: a suite may set none of them. */
  readonly ownVariables?: readonly string[]
  /** Folders at the top of a workspace in which it keeps what configures it: links there are replaced by what they lead to. */
  readonly toolFolders?: readonly string[]
  /** Folders of a workspace in which it looks for skills. */
  readonly skillFolders?: readonly string[]
  /** Names of files of instructions that it reads by itself, in any folder of a workspace. */
  readonly instructionFiles?: readonly string[]
  /** Files and folders that it reads in any folder above a workspace. */
  readonly readAbove?: readonly string[]
  /** The results of calls that it could not carry out: there is no such tool, or its own sandbox did not start. */
  readonly refusal?: RegExp
  /** Matches the result of a call of a tool that the engine does not have. */
  readonly unknownTool?: RegExp
  /** Those of them that say that its own sandbox did not start inside this one; the match is the reason. */
  readonly nestedSandbox?: RegExp
  /** The events that it sends hooks, for the free tests of hooks. */
  readonly hookRuntime?: HookRuntime
  /** How its calls and results look at the gateway, which is the record of a run; without it its own stream is the record. */
  readonly recordTable?: RecordTable
  /** How the first model turn decides a trigger query; without it every run is a full session. */
  readonly firstTurn?: FirstTurnRules
  /** How its requests show sub-agents, calls of its own and ids that it makes up. */
  readonly traffic?: EngineTraffic
  /** What of a result it wrote itself for hooks that ran after the call. Default: the reminders at its end. */
  readonly wordsAfter?: (result: { readonly tool: string | null; readonly text: string }) => string
  /** Its own log of the mods of a session, below its config folder, and what they did by that. */
  readonly mods?: {
    readonly log: string
    readonly read: (log: string, session: ModSession) => readonly RecordedDecision[]
  }
}

/** An engine that is a program of its own. */
export interface ProgramEngine extends EngineBase {
  /** The engine for a model, where the API that it is asked over depends on it: it has no model of its own then. */
  forModel?(model: string): ProgramEngine
  /** Name of the executable that is looked for, such as `claude`. */
  readonly executable: string
  /** How it reaches the gateway from inside the sandbox. */
  readonly transport: 'socket' | 'tcp'
  /** Follows links and wrapper scripts to the one program file that the sandbox can show. */
  resolveExecutable?(file: string): string
  /** Extra files that the sandbox must show read-only for the executable to start. */
  runtimeFiles(executable: string): readonly string[]
  /** Folder of the host that the program has unpacked itself into; sessions see it read-only. */
  unpackedFolder?(executable: string, environment: Readonly<Record<string, string | undefined>>): string | null
  /** Versions that are driven; absent where any is. */
  readonly support?: VersionSupport
  /** What has to be on when it is installed, such as its install scripts. */
  readonly installNote?: string
  /** Prints the version of the executable. */
  readonly versionArguments: readonly string[]
  parseVersion(stdout: string): string | null
  /** Builds the command line, environment and standard input. Pure. */
  command(request: CommandRequest): EngineCommand
  /** Reads the CLI's own stream as it comes. */
  createReader(): StreamReader
}

/** An engine without a program: one question to the API, nothing is started. */
export interface DirectEngine extends EngineBase {
  /** The engine for a model: which API it is asked over depends on it. */
  forModel(model: string): DirectEngine
  /** Says what is asked. Pure. */
  question(request: DirectRequest): DirectQuestion
}

/** How a program takes messages of the user, one after the other, on its standard input. Pure. */
export interface Dialogue {
  /** What it is given for a message. */
  say(prompt: string): string
  /** Whether a line of its stream says that it waits for the next one. */
  endsTurn(line: string): boolean
  /** How the agent asks the user in the middle of a turn; absent where nobody can answer it. */
  readonly questions?: UserQuestions
}

/** How a program asks the user while it works, and what it is given in reply. Pure. */
export interface UserQuestions {
  /** Events of hooks that would be asked too, and could allow what nobody is there to allow. */
  readonly deciders: readonly string[]
  /** Reads what a line of its stream asks; `null` for a line that asks nothing. */
  read(line: string): AskedUser | null
  /**
   * The reply. `answers` are texts by the question; without them, and to everything that is no question, it is the
   * refusal of a session without a user.
   */
  reply(asked: AskedUser, answers: Readonly<Record<string, string>> | null): string
}

/** What a program asks: questions, or leave to do something. */
export interface AskedUser {
  /** As the program calls it, in all that it says of it. */
  readonly id: string
  /** None where it asks for leave. */
  readonly questions: readonly AskedQuestion[]
  /** As the program wrote it. */
  readonly request: JsonObject
}

/** One question to the user. */
export interface AskedQuestion {
  readonly question: string
  /** A word or two on what it is about. */
  readonly heading: string
  /** Labels of the answers to choose from. */
  readonly options: readonly string[]
  readonly takesSeveral: boolean
}

/** Paths as the agent sees them. */
export interface SessionPaths {
  readonly workspace: string
  readonly home: string
  readonly config: string
  readonly tmp: string
  /** Where the package's own files lie: the value of `${PACKAGE_ROOT}`. */
  readonly packageRoot: string
  /** Node executable for the hook shim. */
  readonly node: string
  /** The hook shim. */
  readonly shim: string
  /** Folder the shim reads its plan from and appends decisions to. */
  readonly hooks: string
}

export interface InstallRequest {
  readonly package: AgentPackage
  readonly target: Target | null
  /** Skills to install; the others stay out. */
  readonly skills: readonly string[]
  readonly paths: SessionPaths
  /** The parent's environment, for `${VAR}` in MCP servers. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Whether an engine that knows plugins loads the package as one, instead of finding its parts in the workspace. */
  readonly asPlugin?: boolean
  /** MCP servers that files answer for, in place of those of the package. */
  readonly standIns?: readonly InstalledStandIn[]
  /** Whether the network of the session is closed. */
  readonly network: boolean
}

export interface Installation {
  /** Written below the workspace, over what is there. */
  readonly files: readonly InstalledFile[]
  /** Files and folders copied below the workspace, over what is there. */
  readonly copies: readonly InstalledCopy[]
  /**
   * Where it looks for skills in a workspace: those that an overlay has in the folder of another engine are put there too.
   * Absent for an engine that looks for none.
   */
  readonly skillsFolder?: string
  /** Written below the engine's config folder. */
  readonly configFiles: readonly InstalledFile[]
  /** Files and folders copied below the engine's config folder. */
  readonly configCopies?: readonly InstalledCopy[]
  /** What the shim runs: written as `plan.json` into the hooks folder. */
  readonly hookPlan: HookPlan
  /** What could not be carried over, one sentence each, naming the source path. */
  readonly warnings: readonly string[]
}

/** A file that an engine writes before a session. */
interface InstalledFile {
  readonly to: string
  readonly content: string
  /** Whether sessions may only read it, where the sandbox can see to that: settings, and what registers hooks. */
  readonly readOnly?: true
}

export interface CommandRequest {
  readonly prompt: string
  /** Whether further messages follow in the same process. */
  readonly converses?: true
  /** Whether further messages follow in other processes, which go on with the session. */
  readonly isKept?: true
  /** Whether the questions of the agent are answered. */
  readonly answersQuestions?: true
  /** Id of the session to go on with; `null` begins one. */
  readonly resume: string | null
  readonly target: Target | null
  /** The package's commands, for engines that know none of a project. */
  readonly commands: readonly Command[]
  readonly model: string | null
  readonly paths: SessionPaths
  /** Whether the operating system confines the session. */
  readonly confined: boolean
  readonly writablePaths: readonly string[] | null
  /** Where the session sees the engine's unpacked program; `null` when there is none. */
  readonly unpacked: string | null
  readonly hasMcp: boolean
  /** Whether the package has a mod that was installed. */
  readonly hasMod?: boolean
  readonly gateway: GatewayAccess
  /** Absent for every case of another format. */
  readonly plugin?: PluginSession
  /** The `env` of the project's settings, for the engine whose settings they are. */
  readonly settingsEnv?: Readonly<Record<string, string>>
  /** The suite's `env`. */
  readonly env: Readonly<Record<string, string>>
}

/** How one session reaches the gateway. */
export interface GatewayAccess extends Pick<LeaseGrant, 'aliases'> {
  /** As the agent sees it, such as `http://127.0.0.1:4100`. */
  readonly baseUrl: string
  /** As the agent sees it; `null` when only TCP is offered. */
  readonly socket: string | null
  /** Dummy credential; it names the lease. */
  readonly token: string
  /** Which kind of credential it replaces. */
  readonly credential: 'api-key' | 'auth-token' | 'oauth'
}

export interface EngineCommand {
  readonly arguments: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly stdin: string
  /** Id that the session is given, for a CLI that tells it too late. */
  readonly sessionId?: string
}

/** How the first request of an engine and the answer to it decide a trigger query. Everything is pure. */
export interface FirstTurnRules {
  /** Why more of a first request than its text depends on the prompt; `null` when nothing does. */
  dependsOn(prompt: string): string | null
  /** Whether a first request may show a file of the workspace. */
  shows(path: string): boolean
  /** Whether a file of the workspace holds settings, which may add hooks. */
  isSettings(path: string): boolean
  /** Why a call of a skill with this SKILL.md may do more than load it, or fail; `null` when it only loads it. */
  mayFail(skill: string): string | null
  /**
   * What a hook of an event can change: the call of a skill, the end of a turn, the first request, or none of these. Of the
   * first request: `start`, the same for each prompt as far as two starts show; `prompt`, by what the prompt says; `request`,
   * unknown.
   */
  hookChanges(event: string): 'call' | 'end' | 'nothing' | 'prompt' | 'request' | 'start'
  /** The tool that calls a skill, as the matchers of hooks have it. */
  readonly skillTool: string
  /** Skills that a request offers, by the names that a call has to use. */
  offers(body: JsonValue): readonly string[]
  /** Reads an answer; `null` for one that is not complete. */
  read(contentType: string, bytes: Uint8Array): FirstAnswer | null
  /** As `read`, of an answer that was recorded. */
  readRecorded(answer: Pick<ModelAnswer, 'content' | 'stopReason'>): FirstAnswer
  /** What the answer decides. `offered` are the skills of its request. */
  decide(answer: FirstAnswer, offered: readonly string[]): FirstDecision
}

/** The first answer of a session. */
export interface FirstAnswer {
  readonly blocks: readonly FirstBlock[]
  /** Why it ended, in the word of the API. */
  readonly stop: string
  /** The same answer as JSON, for a request that is not streamed. */
  readonly message: string
}

/** One piece of an answer. */
export type FirstBlock =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thinking' }
  /** `input` is `null` where it cannot be read. */
  | { readonly kind: 'call'; readonly id: string; readonly tool: string; readonly input: JsonValue }
  | { readonly kind: 'other'; readonly type: string }

/** What a first answer decides. */
export type FirstDecision =
  /** Its first call uses this skill. */
  | { readonly kind: 'called'; readonly skill: string }
  /** The model has ended its turn and called nothing. */
  | { readonly kind: 'ended' }
  | { readonly kind: 'undecided'; readonly because: string }

/** How the agent of a `claude plugin eval` case is run. */
export interface PluginSession extends CaseExecution {
  /** Folders of the plugins that it loads, as it sees them; the other arm has none. */
  readonly pluginDirs: readonly string[]
  readonly standIns: readonly InstalledStandIn[]
  /** Folders that the agent may read besides its own, as the session sees them. */
  readonly addDirs: readonly string[]
}

/** What a question is made from. */
export interface DirectRequest {
  readonly package: AgentPackage
  readonly target: Target | null
  readonly prompt: string
}

/** One question to a model. */
export interface DirectQuestion {
  readonly system: string
  readonly user: string
  /** What the model is shown of the package, by path below it. */
  readonly shown: readonly string[]
}

/** A file or folder of the package that is copied below the workspace. */
export interface InstalledCopy {
  /** Absolute path. */
  readonly from: string
  readonly to: string
  /** Entries at the folder's top that are left out. */
  readonly exclude: readonly string[]
  /** May be empty or missing. @default false */
  readonly optional?: boolean
}

/** An MCP server of a session that files answer for. */
export interface InstalledStandIn {
  /** The name of the server whose place it takes, else its own. */
  readonly name: string
  /** The name of the plugin that declares the server; `null` for one that stands alone. */
  readonly plugin: string | null
  /** Names of its tools; a server without mocks has none. */
  readonly tools: readonly string[]
}
