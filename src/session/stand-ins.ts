import { randomBytes } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { createAnswers } from '../engines/mocks/mock-answer.ts'
import {
  ABORTED,
  registeredName,
  segmentOf,
  toolName,
  type MockSpec,
  type MockSpecResponder,
  type RecordedMockAnswer,
} from '../engines/mocks/mock-spec.ts'
import type { InstalledStandIn } from '../engines/engine.ts'
import type { MockResponder, MockServer, MockTool } from '../formats/plugin-eval/model.ts'
import { readTextFile, tryReadJson } from '../lib/files.ts'
import { isJsonObject } from '../lib/json.ts'
import { withoutSpace } from '../lib/text.ts'
import { PLUGIN_FILE } from '../packages/package-root.ts'
import type { AgentPackage } from '../packages/package.ts'
import type { AnsweredCall, UnnumberedEvent } from '../transcript/transcript.ts'
import { listFiles } from './inputs/list-files.ts'

/** A stand-in with all that it answers with. */
export interface StandIn extends InstalledStandIn {
  readonly spec: MockSpec
}

/** What decides which servers of a session are mocked. */
interface StandInRequest {
  readonly mocks: readonly MockServer[]
  /** The plugins of the case, whether the session has them or not. */
  readonly plugins: readonly CasePlugin[]
  /** Whether it has them. */
  readonly hasPlugins: boolean
}

/**
 * The stand-ins of a session: of every server of its plugins, so that none of them is started, and of those that are
 * mocked without being declared. A declared server without mocks has no tools. A session without the plugins has no
 * stand-ins of their servers either.
 */
export function planStandIns({ mocks, plugins, hasPlugins }: StandInRequest): readonly StandIn[] {
  const nonce = randomBytes(8).toString('hex')
  const declared = declaredServers(plugins)
  const standIn = (server: Pick<StandIn, 'name' | 'plugin'>, mock: MockServer | undefined): StandIn => ({
    ...server,
    tools: mock?.tools.map((tool) => tool.name) ?? [],
    spec: {
      server: mock?.name ?? server.name,
      nonce,
      tools: mock === undefined ? [] : mock.tools.map(toSpecTool),
    },
  })
  return [
    ...(hasPlugins ? declared : []).map((server) =>
      standIn(
        server,
        mocks.find((mock) => isMockOf(server, mock)),
      ),
    ),
    ...mocks
      .filter((mock) => !isDeclared(mock, declared))
      .map((mock) => standIn({ name: mock.name, plugin: null }, mock)),
  ]
}

/** The calls that stand-ins answered, by the names that the agent called, in order. */
export interface MockedCalls {
  readonly calls: readonly AnsweredCall[]
  /** Why they prove nothing, as a sentence; `null` when they do. */
  readonly problem: string | null
}

/**
 * Finds the calls of stand-ins in the record of a session. What a mock answers follows from the call, and the model must
 * have got just that; `null` where no tool was mocked.
 */
export function findMockedCalls(events: readonly UnnumberedEvent[], standIns: readonly StandIn[]): MockedCalls | null {
  const mocked = standIns.flatMap((one) => {
    const answer = createAnswers(one.spec)
    return one.tools.map((tool) => ({ tool, answer, name: toolName(registeredName(one), tool), server: one }))
  })
  if (mocked.length === 0) return null
  const results = new Map(events.flatMap((event) => (event.kind === 'tool-result' ? [[event.id, event] as const] : [])))
  let problem: string | null = null
  const calls = events.flatMap((event): readonly AnsweredCall[] => {
    const result = event.kind === 'tool-call' ? results.get(event.id) : undefined
    if (event.kind !== 'tool-call' || result === undefined || result.blockedBy !== null) return []
    const found = mocked.find(({ server, tool, name }) => isCalled(event.tool, [name, toolName(server.name, tool)]))
    if (found === undefined) return []
    const { tool, name, answer, server } = found
    const call = { server: server.spec.server, tool: name, input: event.input, ...answer(tool, event.input ?? {}) }
    if (isGiven(call, result.text)) return [call]
    // A call that the engine refused by itself has come to no mock.
    if (!result.isError)
      problem ??= `The gateway saw the model get another answer to the call of ${event.tool} (${event.id}) than its mock gives.`
    return []
  })
  return { calls, problem }
}

// Engines write the name of a server in their own ways, some without the word before it.
function isCalled(tool: string, names: readonly string[]): boolean {
  return names.some((name) => withoutMarks(name) === withoutMarks(tool))
}

function withoutMarks(name: string): string {
  return name.replace(/^mcp__/, '').replaceAll(/[^A-Za-z0-9]+/g, '_')
}

function isGiven({ output, verdict }: RecordedMockAnswer, text: string): boolean {
  // Engines shorten a longer one.
  if (output.length > LONGEST) return true
  const shown = withoutSpace(text)
  const texts = [output, JSON.stringify(output).slice(1, -1)].map(withoutSpace)
  return texts.some((one) => shown.includes(one)) && (verdict !== 'abort' || shown.includes(withoutSpace(ABORTED)))
}

const LONGEST = 10_000

/** Whether all that is mocked are servers of the plugins: a session without these has no mocked tools then. */
export function mocksOnlyPlugins(mocks: readonly MockServer[], plugins: readonly CasePlugin[]): boolean {
  const declared = declaredServers(plugins)
  return mocks.length > 0 && mocks.every((mock) => isDeclared(mock, declared))
}

type DeclaredServer = Pick<InstalledStandIn, 'name'> & { readonly plugin: string }

function declaredServers(plugins: readonly CasePlugin[]): readonly DeclaredServer[] {
  return plugins.flatMap((plugin) => plugin.mcpServers.map(({ name }) => ({ name, plugin: pluginNameOf(plugin) })))
}

function isDeclared(mock: MockServer, declared: readonly DeclaredServer[]): boolean {
  return declared.some((server) => isMockOf(server, mock))
}

function isMockOf(server: DeclaredServer, { name }: MockServer): boolean {
  return [segmentOf(server.name), segmentOf(registeredName(server))].includes(name)
}

function toSpecTool({ name, description, inputSchema, responder }: MockTool): MockSpec['tools'][number] {
  return { name, description, inputSchema, responder: toSpecResponder(responder) }
}

function toSpecResponder(responder: MockResponder): MockSpecResponder {
  const { kind, hash, expect, file } = responder
  const text = kind === 'fixed' ? responder.body : responder.prompt
  return {
    kind,
    text,
    isError: kind === 'fixed' && responder.isError,
    hash,
    expect,
    files: text.includes('{{file:') || /\{\{\s+file:/.test(text) ? readFixtures(dirname(file)) : {},
    recorded: kind === 'agent' ? readRecorded(responder.replayDir) : {},
  }
}

/** Bytes of one fixture of a mock, and of all of them. */
const MAX_FIXTURE = 1024 * 1024
const MAX_FIXTURES = 8 * MAX_FIXTURE

function readFixtures(folder: string): Readonly<Record<string, string>> {
  const { files } = listFiles(folder)
  let left = MAX_FIXTURES
  const fitting = files.filter(({ size }) => {
    if (size > MAX_FIXTURE || size > left) return false
    left -= size
    return true
  })
  return Object.fromEntries(fitting.map(({ path, file }) => [path, readTextFile(file)]))
}

const RECORDED = /^[\w-]+-[0-9a-f]{64}\.json$/
const MAX_RECORDED = 256 * 1024

function readRecorded(folder: string): Readonly<Record<string, RecordedMockAnswer>> {
  const { files } = listFiles(folder)
  const found = files.filter(({ path, size }) => RECORDED.test(path) && size <= MAX_RECORDED)
  return Object.fromEntries(
    found.flatMap(({ path }) => {
      const answer = readAnswer(join(folder, path))
      return answer === null ? [] : [[path, answer]]
    }),
  )
}

function readAnswer(file: string): RecordedMockAnswer | null {
  const value = tryReadJson(file)
  const { output, verdict } = isJsonObject(value) ? value : {}
  const isVerdict = verdict === 'ok' || verdict === 'tool_error' || verdict === 'abort'
  return typeof output === 'string' && isVerdict ? { output, verdict } : null
}

/** A plugin of a case of `claude plugin eval`, as it is on disk. */
export type CasePlugin = Pick<AgentPackage, 'manifest' | 'mcpServers' | 'root'>

/** What names a plugin. */
export type NamedPlugin = Pick<CasePlugin, 'manifest' | 'root'>

/** The name that Claude Code knows a plugin by: a folder without a manifest has its own. */
export function pluginNameOf(plugin: NamedPlugin): string {
  return nameInManifest(plugin) ?? basename(plugin.root)
}

// Claude Code does not read the manifests of other layouts.
function nameInManifest({ manifest }: NamedPlugin): string | null {
  return manifest?.file.endsWith(PLUGIN_FILE) === true ? manifest.name : null
}

/** Where a session finds the plugins of its case. */
export function pluginFolders(plugins: readonly NamedPlugin[], packageRoot: string): readonly string[] {
  return plugins.map((plugin, index) => [packageRoot, ...placeOfPlugin(plugin, index)].join('/'))
}

/**
 * The folder of a plugin below the package: the first is the package itself, unless only its folder says what it is called.
 */
export function placeOfPlugin(plugin: NamedPlugin, index: number): readonly string[] {
  const hasName = nameInManifest(plugin) !== null
  if (index === 0 && hasName) return []
  return ['.agent-evals', 'plugins', String(index + 1), ...(hasName ? [] : [basename(plugin.root)])]
}
