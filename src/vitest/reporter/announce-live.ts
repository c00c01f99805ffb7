import { askedOf, engineNamed } from '../../case/prepare/resolve-engine.ts'
import { dollars } from '../../gateway/budget/dollars.ts'
import { upstreamKind } from '../../gateway/leases/lease.ts'
import { readPastRuns, type PastRun } from '../../results/past-runs.ts'
import { chooseSource, type SourceRequest } from '../../case/prepare/choose-source.ts'
import { countRuns } from '../../case/plan/count-runs.ts'
import { describeUnpriced, type AskedModel } from '../../gateway/budget/unpriced.ts'
import { hasCredential } from '../../gateway/secrets/credentials.ts'
import { addCosts, describeCost } from '../../results/cost/describe-cost.ts'
import { isLiveAllowed } from '../../case/prepare/is-live-allowed.ts'
import { identifyCase } from '../../case/plan/plan-case.ts'
import { isBroken } from './create-plan.ts'
import { countTo, sumOf } from '../../lists.ts'
import type { TestSpecification } from 'vitest/node'
import type { RunSettings } from '../../settings.ts'
import type { EvalCase, Suite } from '../../suites/suite.ts'
import type { EvalsReporterOptions } from './reporter-options.ts'

/** The line before anything is spent; `null` when no case goes live. */
export async function announceLive(
  specifications: readonly TestSpecification[],
  testFiles: number,
  options: EvalsReporterOptions,
): Promise<string | null> {
  const { settings, store } = options
  if (!isLiveAllowed(settings)) return null

  const live: LiveCase[] = []
  const models: AskedModel[] = []
  const past = new Map<string, ReadonlyMap<string, PastRun>>()
  for (const specification of specifications) {
    const suite = await store.load(specification.moduleId)
    if (isBroken(suite)) continue
    for (const evalCase of await options.planner.of(suite)) {
      const { id, engineName, packageRoot } = identifyCase(suite, evalCase, settings)
      const asked = await listLive(suite, evalCase, engineName, settings)
      const count = asked.length
      if (count === 0) continue
      models.push(...asked.filter((one) => one !== ENGINE_DEFAULT))
      const key = `${engineName}\0${packageRoot}`
      const runs = past.get(key) ?? readPastRuns(packageRoot, engineName)
      past.set(key, runs)
      const each = runs.get(id)?.costUsd ?? null
      live.push({ runs: count, costUsd: each === null ? null : each * count, arm: evalCase.arm ?? 'with_skill' })
    }
  }
  const isKnown = testFiles === 0
  if (live.length === 0) return isKnown || settings.source === 'auto' ? null : describeTestFiles(testFiles)
  const unpriced = describeUnpriced(models, settings.prices)
  const lines = [
    describeCosts(live, settings.maxCostUsd),
    describeModels(models, settings),
    ...(isKnown ? [] : [describeTestFiles(testFiles)]),
    ...(unpriced === null ? [] : [`agent-evals: ${unpriced}`]),
  ]
  return lines.join('\n')
}

// Each run has answers of its own: some may be recorded and others not.
async function listLive(
  suite: Suite,
  evalCase: EvalCase,
  engineName: string,
  settings: RunSettings,
): Promise<readonly LiveRun[]> {
  const runs = countTo(countRuns(evalCase, settings))
  const live = await Promise.all(runs.map((run) => findLive({ suite, evalCase, run, engineName, settings })))
  return live.filter((one) => one !== null)
}

/** What a live run asks; the engine decides where nothing names a model. */
type LiveRun = AskedModel | typeof ENGINE_DEFAULT
const ENGINE_DEFAULT = 'engine-default'

async function findLive(request: Omit<SourceRequest, 'wire'> & { readonly suite: Suite }): Promise<LiveRun | null> {
  try {
    const engine = await engineNamed(request.engineName, request.settings)
    const asked = askedOf(engine, request, request.settings)
    const source = await chooseSource({ ...request, ...asked })
    if (source.name === null || upstreamKind(source.answers) !== 'live') return null
    // Without a key nothing is spent: the case says what is missing.
    if (!hasCredential(asked.wire, process.env)) return null
    return source.model === null ? ENGINE_DEFAULT : { model: source.model, wire: asked.wire }
  } catch {
    // The case itself says what is wrong with it.
    return null
  }
}

/** A case of which some runs go live. */
export interface LiveCase {
  /** Runs that go live. */
  readonly runs: number
  /** US dollars of these; `null` when unknown. */
  readonly costUsd: number | null
  readonly arm: 'with_skill' | 'without_skill'
}

/** What live cases are about to cost, by what they cost before, and what limits it. Unknown costs are never guessed. */
export function describeCosts(live: readonly LiveCase[], maxCostUsd: number): string {
  const { usd, unknownCases } = addCosts(live.map(({ costUsd }) => ({ usd: costUsd, knownUsd: costUsd ?? 0 })))
  const cost =
    unknownCases === live.length
      ? 'estimated cost unknown (no earlier live run)'
      : `estimated cost ${describeCost({ usd, unknownCases })} (by earlier live runs)`
  const limit = `at most ${dollars(maxCostUsd)} (AGENT_EVALS_MAX_COST_USD)`
  return `agent-evals: ${describeCases(live)}; ${cost}, ${limit}; AGENT_EVALS_SOURCE=replay never spends`
}

function describeModels(models: readonly AskedModel[], { judge }: Pick<RunSettings, 'judge'>): string {
  const names = [...new Set(models.map(({ model }) => model))]
  const asked = judge.environment ?? judge.option
  const who = asked === null ? 'judge: as the case or its suite says, else the same model' : `judge: ${asked}`
  return `agent-evals: model: ${names.length === 0 ? 'the default of the engine' : names.join(', ')}; ${who}`
}

// What they ask is known when they run.
function describeTestFiles(count: number): string {
  const files = count === 1 ? '1 file of tests in TypeScript runs' : `${count} files of tests in TypeScript run`
  return `agent-evals: ${files}; live calls unknown`
}

function describeCases(live: readonly LiveCase[]): string {
  const without = live.filter(({ arm }) => arm === 'without_skill').length
  const runs = sumOf(live, (one) => one.runs)
  const cases = live.length === 1 ? '1 case goes live' : `${live.length} cases go live`
  const arms = without === 0 ? '' : `, ${without} of them without the skill`
  return `${cases}${arms}${runs === live.length ? '' : `, in ${runs} runs`}`
}
