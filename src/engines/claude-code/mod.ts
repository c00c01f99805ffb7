import { relative } from 'node:path'
import { formatJson } from '../../lib/json.ts'
import { eventsOfMod, MOD_EVENT } from '../../packages/hook-events.ts'
import { pathFrom } from '../../packages/package-root.ts'
import { modOf, type AgentPackage } from '../../packages/package.ts'
import type { Installation } from '../engine.ts'
import type { ModSession } from '../hooks/hook-plan.ts'
import type { RecordedDecision, SaidWords } from '../hooks/hook-plan.ts'

/** The plugin that carries the mod, below the config folder. */
export const MOD_FOLDER = 'mod'

/** The CLI's own log, below the config folder: nothing else says what a mod did. */
export const MOD_LOG = 'debug.log'

type InstalledMod = Pick<Installation, 'configCopies' | 'configFiles'> & { readonly plan: { readonly mod?: string } }

/**
 * Installs the mod of a package as a plugin of its own: mods are loaded from plugins only, and the other parts of the
 * package are installed one by one.
 */
export function installMod({ root, manifest, hookGroups }: AgentPackage): InstalledMod {
  const module = hookGroups.map(modOf).find((file) => file !== null)
  if (module === undefined) return { configFiles: [], plan: {} }
  const path = pathFrom(root, module)
  const { name = null, version, userConfig, types } = manifest?.raw ?? {}
  const plugin = { name: name ?? 'package', version, userConfig, types }
  const write = (to: string, content: object): Installation['configFiles'][number] => {
    return { to: `${MOD_FOLDER}/${to}`, content: formatJson(content), readOnly: true }
  }
  return {
    // A module imports from anywhere in its plugin.
    configCopies: [{ from: root, to: MOD_FOLDER, exclude: OTHER_PARTS, optional: true }],
    configFiles: [
      write('.claude-plugin/plugin.json', plugin),
      write(HOOKS_FILE, { modules: [`./${relative('hooks', path)}`] }),
    ],
    plan: { mod: path },
  }
}

const HOOKS_FILE = 'hooks/hooks.json'

/** What a plugin may hold besides its mod. */
const OTHER_PARTS = [
  '.claude',
  '.claude-plugin',
  '.lsp.json',
  '.mcp.json',
  'SKILL.md',
  'agents',
  'commands',
  HOOKS_FILE,
  'monitors',
  'output-styles',
  'plugin.json',
  'settings.json',
  'skills',
  'themes',
]

/** One run of a handler. */
interface HandlerRun {
  /** The plugin's name. */
  readonly mod: string
  /** The mod's own name of the event. */
  readonly event: string
  decision: 'allowed' | 'denied-json' | 'failed'
  reason: string
  call: { readonly id: string; readonly tool: string } | null
  readonly said: SaidWords[]
}

/**
 * Reads from the CLI's log what the mods of a session did: each run of a handler, what it refused, and how it failed. The
 * log has no words of a mod; those for the model are in its requests and in the results of calls.
 */
export function readMods(log: string, session: ModSession): readonly RecordedDecision[] {
  const { runs, isLoaded, problem } = readLog(log)
  const missing = record(MOD_EVENT, { decision: 'missing', reason: whyNotLoaded(problem, session) })
  if (!isLoaded) return [missing]
  for (const run of runs) if (run.call !== null) run.reason = reasonIn(session.results.get(run.call.id)) ?? run.reason
  for (const shown of session.texts) {
    const [, event, text = ''] = CONTEXT.exec(shown) ?? []
    const speaker = runs.find((run) => run.event === event && run.said.length === 0)
    speaker?.said.push({ what: 'context', text })
  }
  return runs.flatMap((run) => {
    const [first = run.event, ...others] = eventsOfMod(run.event)
    // A call that was refused has no time after it.
    const after = run.decision === 'allowed' ? others : []
    return [record(first, run), ...after.map((event) => record(event, { decision: 'allowed', reason: '' }))]
  })
}

function readLog(log: string): {
  readonly runs: readonly HandlerRun[]
  readonly isLoaded: boolean
  readonly problem: string | null
} {
  const runs: HandlerRun[] = []
  // The CLI says once why a handler failed, and each time that it did.
  const reasons = new Map<string, string>()
  const failures: string[] = []
  let isLoaded = false
  let problem: string | null = null
  for (const line of log.split('\n')) {
    const text = LINE.exec(line)?.[1] ?? ''
    isLoaded ||= LOADED.test(text)
    problem = REFUSED.exec(text)?.[1] ?? problem

    const [, handler, reason = ''] = SKIPPED.exec(text) ?? []
    if (handler !== undefined) reasons.set(handler, reason)
    const [, failing, at] = FAILED.exec(text) ?? []
    if (failing !== undefined) failures.push(`${failing}: ${at}`)

    const [, mod, event] = SETTLED.exec(text) ?? []
    if (mod !== undefined && event !== undefined) {
      const failure = failures.indexOf(`${mod}: ${event}`)
      if (failure >= 0) failures.splice(failure, 1)
      const decision = failure >= 0 ? 'failed' : 'allowed'
      runs.push({ mod, event, decision, reason: '', call: null, said: [] })
    }

    const [, refused, tool, id, by, said, why = said ?? ''] = DENIED.exec(text) ?? []
    const denier = runs.findLast((run) => run.event === refused && (by?.split(', ').includes(run.mod) ?? true))
    if (denier?.decision !== 'allowed') continue
    denier.decision = 'denied-json'
    denier.reason = why
    denier.call = tool === undefined || id === undefined ? null : { id, tool }
  }
  for (const run of runs) if (run.decision === 'failed') run.reason = reasons.get(`${run.mod}: ${run.event}`) ?? ''
  return { runs, isLoaded, problem }
}

function record(
  event: string,
  {
    decision,
    reason,
    call = null,
    said = [],
  }: Partial<Pick<HandlerRun, 'call' | 'said'>> & Pick<RecordedDecision, 'decision' | 'reason'>,
): RecordedDecision {
  return {
    id: MOD_EVENT,
    event,
    tool: call?.tool ?? null,
    toolCallId: call?.id ?? null,
    decision,
    exitCode: null,
    reason,
    ...(said.length === 0 ? {} : { said }),
    durationMs: 0,
  }
}

// What the log leaves out of a reason is in the call's result.
function reasonIn(result: string | undefined): string | null {
  return result?.replaceAll(/^<tool_use_error>|<\/tool_use_error>$/g, '').replace(PERMISSION, '') ?? null
}

function whyNotLoaded(problem: string | null, { module, version }: ModSession): string {
  if (problem !== null) return `Claude Code did not load ${module}: ${problem}`
  return `Claude Code ${version ?? 'of an unknown version'} did not load ${module}; mods need ${FIRST_VERSION} or newer`
}

const FIRST_VERSION = '2.1.287'

const LINE = /^\d{4}-\S+Z \[[A-Z]+\] (.*)$/
const LOADED = /^hooks module \S+@inline loaded /
const REFUSED =
  /^hooks module \S+@inline (?:not loaded|failed to load|could not build \$|failed in engine\.create): (.*)$/
const SETTLED = /^hooks module (\S+)@inline (\w+\.\w+) settled in /
const FAILED = /^hook failed: (\S+): .*\((\w+\.\w+); skipped;/
const SKIPPED = /^(\S+: \w+\.\w+) hook skipped: (.*)$/
// `tool.check Bash toolu_1: unevaluated -> deny by plugins guard, other: no`, `prompt.submit: dropped (no)`
const DENIED =
  /^(\w+\.\w+)(?: (\S+)(?: (\S+))?)?: (?:\S+ -> )?(?:resolved by a hooks module \()?(?:deny|ask|dropped|refused)\b(?: by plugins? ([^:]+): (.*)| (?:by a hook )?\((.*)\)| of .*)?$/
const CONTEXT = /^(\w+\.\w+) hook additional context: ([\s\S]*)$/
const PERMISSION = /^Permission to use \S+ denied by plugins? [^:]+: /
