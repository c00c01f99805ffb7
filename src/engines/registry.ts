import { AgentEvalsError } from '../lib/errors.ts'
import { similarName } from '../lib/documents/nearest-name.ts'
import { calls, claudeCode } from './claude-code/engine.ts'
import { codex } from './codex/engine.ts'
import { copilot } from './copilot/engine.ts'
import { messages } from './messages.ts'
import type { EngineTraffic } from '../recordings/messages.ts'
import type { KnownNames } from '../formats/suite.ts'
import type { Engine, ToolCalls } from './engine.ts'

/** Engines by name. */
export type Engines = Readonly<Record<string, Engine>>

/** The engines that can be driven, by name. */
export const engines: Engines = {
  'claude-code': claudeCode,
  codex,
  copilot,
  messages,
}

/** The API that a built-in engine asks for a model; `null` for an engine that is the user's own. */
export function wireOfEngine(name: string, model: string): Engine['wire'] | null {
  const engine = Object.hasOwn(engines, name) ? engines[name] : undefined
  return engine === undefined ? null : (engine.forModel?.(model) ?? engine).wire
}

/** What all engines have in one of their lists, such as the paths that are theirs. */
export function allOf(
  list:
    | 'askTools'
    | 'instructionFiles'
    | 'ownPaths'
    | 'ownVariables'
    | 'readAbove'
    | 'skillFolders'
    | 'toolFolders'
    | 'toolNames',
  registered: Engines = engines,
): readonly string[] {
  return [...new Set(Object.values(registered).flatMap((engine) => engine[list] ?? []))]
}

/** What suites are checked against, but for the names of judges, which only the main process checks. */
export function namesOfEngines(): KnownNames {
  return { ownPaths: allOf('ownPaths'), ownVariables: allOf('ownVariables'), judgeProblem: () => null }
}

/** How these engines word the results of calls that they did not carry out. */
export function patternsOf(
  field: 'nestedSandbox' | 'refusal' | 'unknownTool',
  registered: Engines = engines,
): readonly RegExp[] {
  return Object.values(registered).flatMap((engine) => engine[field] ?? [])
}

/** How these engines mark their requests. */
export function trafficOf(registered: Engines = engines): readonly EngineTraffic[] {
  return Object.values(registered).flatMap(({ traffic }) => traffic ?? [])
}

/** The calls by which a model uses the tools of an engine. */
export function callsOf(engine: Engine | undefined): ToolCalls {
  return engine?.calls ?? calls
}

/** The engines that a run knows: the list, and its own engine, which may be a user's. */
export function enginesFor({ engine: { engine } }: RunOnEngine): Engines {
  return { ...engines, [engine.name]: engine }
}

interface RunOnEngine {
  readonly engine: { readonly engine: Engine }
}

/** Finds an engine by name before anything starts; `custom` are the engines that the user supplies. */
export function requireEngine(name: string, custom: readonly Engine[] = []): Engine {
  const engine =
    custom.find((candidate) => candidate.name === name) ?? (Object.hasOwn(engines, name) ? engines[name] : undefined)
  if (engine !== undefined) return engine

  const supported = [...Object.keys(engines), ...custom.map((candidate) => candidate.name)]
  const list = supported.join(', ')
  const why = UNSUPPORTED.get(name)
  if (why !== undefined)
    throw new AgentEvalsError(
      'unsupported-engine',
      `The engine "${name}" is not supported: ${why}. Use one of: ${list}.`,
    )
  const nearest = similarName(name, supported)
  const hint = nearest === null ? '' : ` Did you mean "${nearest}"?`
  throw new AgentEvalsError('unsupported-engine', `The engine "${name}" is not supported.${hint} Use one of: ${list}.`)
}

const UNSUPPORTED = new Map([
  ['cursor', "its CLI connects only to its vendor's servers, so no run of it can be recorded or replayed"],
])
