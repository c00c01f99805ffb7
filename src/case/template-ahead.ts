import { isProgram } from '../engines/find.ts'
import { namesOfEngines } from '../engines/registry.ts'
import { kindOf } from '../formats/kinds.ts'
import { createSuiteCache } from '../formats/load-suite.ts'
import type { EvalCase, Suite, TriggerQuestion } from '../formats/suite.ts'
import type { PreparedValue } from '../gateway/first-turn/leaders.ts'
import { sha256OfJson } from '../lib/sha256.ts'
import type { RunSettings } from '../options/settings.ts'
import { whyFull, type FirstTurnPlan } from '../session/first-turn/probe.ts'
import { runFirstTurn } from '../session/first-turn/run-first-turn.ts'
import { makeTemplate, templateName, type TemplateMaking } from '../session/first-turn/template.ts'
import { isPackageInput } from '../session/inputs/collect.ts'
import { createInputCache } from '../session/inputs/input-cache.ts'
import { isDeciding } from '../transcript/select.ts'
import { decidingUse } from './assess/count-triggers.ts'
import type { Run } from './context.ts'
import { identifyCase } from './plan/plan-case.ts'
import { prepareRun } from './prepare/prepare-run.ts'
import type { PreparedRun, RunEngine } from './replay/run-recorded.ts'
import { inItsVersion } from '../formats/before.ts'

/** The trigger queries of a suite that are about to run. */
export interface QueriesAhead {
  readonly suite: Suite
  readonly queries: readonly EvalCase[]
  readonly settings: RunSettings
  readonly signal: AbortSignal
}

/**
 * Starts the sessions from which the first requests of a suite are made, while Vitest still starts its workers; `null`
 * where full sessions decide, or where no query can be prepared: its worker says why.
 */
export async function templateAhead({ suite, queries, settings, signal }: QueriesAhead): Promise<PreparedValue | null> {
  for (const evalCase of queries) noteQuery({ suite, evalCase })
  const packages = createSuiteCache({ names: namesOfEngines(), trial: settings.trial })
  const inputs = createInputCache()
  for (const evalCase of queries.slice(0, MAX_TRIED)) {
    const { id, engineName } = identifyCase(suite, evalCase, settings)
    const run = { label: `${id} (run 1)`, engineName, suite, evalCase, run: 1, settings, packages, inputs, signal }
    const prepared = await prepareRun(run).catch(() => null)
    const question = kindOf(evalCase).question(evalCase)
    if (prepared === null || 'skipped' in prepared || question === null) continue
    const { request } = prepared
    const scope = firstTurnPlan({ suite, settings }, prepared, question)
    const rules = isProgram(request.engine) ? request.engine.engine.firstTurn : undefined
    if (scope.mode === 'full' || rules === undefined || whyFull(request, rules, scope) !== null) continue
    return begin({ request, rules, scope })
  }
  return null
}

// Resolves when the first program starts, so that what the caller does next does not delay its staging.
function begin(making: TemplateMaking): Promise<PreparedValue> {
  return new Promise((resolve) => {
    const started = (): void => resolve({ name: templateName(making), value, over })
    const value = makeTemplate({ ...making, onStart: started })
    const over = value.then(
      (made) => ('over' in made ? made.over : undefined),
      () => {},
    )
    void over.then(started)
  })
}

// Others of the suite may be full sessions for the same reason.
const MAX_TRIED = 3

/** Notes the text of a query as early as possible, so that the queries of a suite can be compared with each other. */
export function noteQuery({ suite, evalCase }: Pick<Run, 'evalCase' | 'suite'>): void {
  const prompts = queries.get(suite) ?? new Set<string>()
  queries.set(suite, prompts.add(evalCase.prompt))
}

const queries = new WeakMap<object, Set<string>>()

/** Runs a query by its first turn where that can decide it. */
export function runByFirstTurn(
  query: Pick<Run, 'evalCase' | 'settings' | 'suite'>,
  prepared: PreparedRun,
  question: TriggerQuestion,
): RunEngine {
  noteQuery(query)
  const plan = firstTurnPlan(query, prepared, question)
  if (!hasOtherArm(query)) return (request) => runFirstTurn(request, plan)
  return (request) => runFirstTurn(request, { ...plan, otherArm: () => meetOtherArm(request.label, request.signal) })
}

/** How a run of a query is to be decided, and which other queries have the same first request but for their text. */
export function firstTurnPlan(
  { suite, settings }: Pick<Run, 'settings' | 'suite'>,
  { request, inputs, source }: PreparedRun,
  question: TriggerQuestion,
): FirstTurnPlan {
  const { engine, package: pkg, evalCase, sandbox } = request
  const shared = inputs.filter((input) => isPackageInput(input) || input.role === 'overlay')
  const key = {
    engine: [engine.engine.name, engine.executable, engine.version],
    inputs: shared.map(({ file, path, role, hash }) => [file, path, role, hash]),
    skills: pkg.skills.map(({ dir }) => dir),
    hooks: pkg.hookGroups,
    overlays: evalCase.overlays ?? [],
    target: evalCase.target,
    config: suite.config,
    sandbox: [sandbox.backend, sandbox.enforced],
    // Its kind of credential is in the request.
    source: [source.answers.kind, source.recording?.credential ?? null],
  }
  return {
    mode: settings.triggers,
    key: sha256OfJson(key),
    others: [...(queries.get(suite) ?? [])],
    overlayPaths: shared.flatMap(({ path, role }) => (role === 'overlay' ? [path] : [])),
    isSubject: (skill) => isDeciding(skill, decidingUse(question)),
  }
}

/** Whether a case runs with another version of its package too, which has what the case is about. */
export function hasOtherArm({ suite, evalCase, settings }: Pick<Run, 'evalCase' | 'settings' | 'suite'>): boolean {
  if (settings.before === undefined || suite.before !== undefined) return suite.before !== undefined
  const other = inItsVersion({ suite, evalCase: { ...evalCase, arm: 'variant' } }, settings)
  return other.evalCase.skipped === undefined
}

/**
 * Resolves when the same run of the other arm has come here too, so that both ask in the same moment: one arm takes longer
 * to prepare, and the time of day and rate limits have to hit both alike. Whoever meets nobody goes on after a while.
 *
 * @param label - of the run, with its arm: `a.json#a@variant (run 2)`.
 * @param signal - of the run: one that is cancelled waits no longer.
 */
export function meetOtherArm(label: string, signal: AbortSignal): Promise<void> {
  const place = label.replace(VARIANT, '')
  const other = waiting.get(place)
  other?.()
  if (other !== undefined || signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const goOn = (): void => {
      clearTimeout(patience)
      signal.removeEventListener('abort', goOn)
      resolve()
    }
    const patience = setTimeout(goOn, PATIENCE_MS)
    signal.addEventListener('abort', goOn)
    waiting.set(place, goOn)
  })
}

/** What lets the arm that came first go on, by run. It stays: who comes again, or alone and late, waits for nobody. */
const waiting = new Map<string, () => void>()

const VARIANT = /@variant(?= \(run \d+\)$|$)/
const PATIENCE_MS = 20_000
