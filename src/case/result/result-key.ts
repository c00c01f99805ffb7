import { sep } from 'node:path'
import { sha256 } from '../../lib/sha256.ts'
import type { RunSettings } from '../../options/settings.ts'
import { readOwnVersion } from '../../report/results/provenance.ts'
import type { Run } from '../context.ts'
import type { PreparedRun } from '../replay/run-recorded.ts'

/** Hash of everything that decides how a case comes out, but for the model's own mood. Two equal ones may share a result. */
export function resultKey(
  { planned, suite, evalCase, settings, index, recorded = index }: Run,
  { request, source, inputs, surroundings }: PreparedRun,
  version: string | null = readOwnVersion(),
): string {
  const { root } = settings
  const decisive = {
    // The same words may mean something else to another version.
    version,
    machine: [process.platform, process.arch, process.version],
    // Cases of two packages may have one id.
    case: [planned.packageRoot, planned.id, recorded],
    engine: [planned.engineName, request.engine.executable, request.engine.version],
    evalCase,
    config: suite.config,
    inputs: inputs
      // The case and the suite's configuration are in here as what they say: a new comment changes nothing.
      .filter(({ file }) => file !== suite.file && file !== suite.config.file)
      .map(({ path, role, hash }) => [path, role, hash]),
    surroundings,
    source: [source.name, source.recording],
    model: request.model,
    deadlineMs: request.deadlineMs,
    sandbox: [request.sandbox.backend, request.sandbox.enforced],
    options: decisiveOptions(settings),
  }
  return sha256(JSON.stringify(decisive, (name, value: unknown) => withoutPlaces(name, value, root)))
}

/**
 * Whether later runs with the same key may take the result over. A model may answer otherwise the next time, and so may the
 * network; a workspace that is to be seen has to be made.
 */
export function mayShare(
  { suite, settings }: Pick<Run, 'settings' | 'suite'>,
  { source }: Pick<PreparedRun, 'source'>,
): boolean {
  if (suite.config.network || settings.keepWorkspace) return false
  return source.name === 'replay' || source.name === 'scenario'
}

// A case that has moved down its file is the same case, and so is one whose project lies elsewhere.
function withoutPlaces(name: string, value: unknown, root: string): unknown {
  if (name === 'at' || name === 'promptAt') return undefined
  if (typeof value !== 'string' || !value.startsWith(root)) return value
  return value === root || value[root.length] === sep ? value.slice(root.length) : value
}

/** What the options say of how a case comes out: all of them but those listed, so that a new one is not forgotten. */
function decisiveOptions(settings: RunSettings): Partial<RunSettings> {
  const cached = options.get(settings)
  if (cached !== undefined) return cached
  const entries = Object.entries(settings).filter(([name]) => !INDECISIVE.has(name))
  const decisive = Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1))) as Partial<RunSettings>
  options.set(settings, decisive)
  return decisive
}

const options = new WeakMap<RunSettings, Partial<RunSettings>>()

/** Settings that choose which cases run, where, with what budget; or whose effect on a case is elsewhere in its key. */
export const INDECISIVE: ReadonlySet<string> = new Set<keyof RunSettings>([
  'agentsRoot',
  'allowUnknownCost',
  'attachEvidence',
  'baseline',
  'before',
  'cache',
  'case',
  'category',
  'command',
  'concurrency',
  'controlSocket',
  'cwd',
  'dryRun',
  'engine',
  'engineMatrix',
  'engineModules',
  'engineVersions',
  'engines',
  'evals',
  'fromEnvironment',
  'kind',
  'liveBlockedReason',
  'maxCostUsd',
  'maxCostUsdPerCase',
  'modelMatrix',
  'onMissingAnswers',
  'project',
  'quarantine',
  'requireLive',
  'resume',
  'root',
  'runFolder',
  'runs',
  'sandbox',
  'shard',
  'source',
  'tag',
  'target',
  'timeout',
  'trustPlugin',
])
