import { askedOf, engineNamed } from '../../case/prepare/resolve-engine.ts'
import { dollars } from '../../gateway/budget/dollars.ts'
import { upstreamKind } from '../../gateway/leases/lease.ts'
import { chooseSource } from '../../case/prepare/choose-source.ts'
import { countRuns } from '../../case/plan/count-runs.ts'
import { createCosts, liveModelOf, type CostOfRun } from '../../case/prepare/expect-case.ts'
import { describeUnpriced, type AskedModel } from '../../gateway/budget/unpriced.ts'
import { hasCredential } from '../../gateway/secrets/credentials.ts'
import { addCosts, describeCost } from '../../results/cost/describe-cost.ts'
import { isLiveAllowed } from '../../case/prepare/is-live-allowed.ts'
import { identifyCase } from '../../case/plan/plan-case.ts'
import { isBroken } from './create-plan.ts'
import { mayGoLive } from '../../case/prepare/may-go-live.ts'
import { createInputCache, type InputCache } from '../../inputs/input-cache.ts'
import { judgesOf, missingFor } from '../../case/judge/require-judge.ts'
import { kindOf } from '../../case/judge/judge-case.ts'
import { countTo, sumOf } from '../../lists.ts'
import { pathFrom } from '../../packages/package-root.ts'
import { toPrintableLine } from '../../results/printable.ts'
import type { TestSpecification } from 'vitest/node'
import type { TestFile } from '../../case/plan/plan-test.ts'
import type { ChosenJudge } from '../../judges/choose.ts'
import type { RunSettings } from '../../settings.ts'
import type { EvalCase, Suite } from '../../suites/suite.ts'
import type { EvalsReporterOptions } from './reporter-options.ts'

/** The lines before anything is spent; `null` when no case goes live. */
export async function announceLive(
  specifications: readonly TestSpecification[],
  testFiles: readonly Pick<TestFile, 'file'>[],
  options: EvalsReporterOptions,
): Promise<string | null> {
  const { settings, store } = options
  if (!isLiveAllowed(settings)) return null

  const costOf = createCosts()
  const inputs = createInputCache()
  const live: LiveCase[] = []
  for (const specification of specifications) {
    const suite = await store.load(specification.moduleId)
    if (isBroken(suite)) continue
    for (const evalCase of await options.planner.of(suite)) {
      const { id, engineName } = identifyCase(suite, evalCase, settings)
      const runs = await listLive({ suite, evalCase, engineName, settings, store, inputs })
      if (runs.length === 0) continue
      const cost = costOf(id, { suite, evalCase, engine: engineName })
      live.push({ runs, cost, arm: evalCase.arm ?? 'with_skill' })
    }
  }
  const ofTests = testFiles.length === 0 ? [] : [describeTestFiles(testFiles, settings)]
  // Whether they have recordings is known when they run: the first without one is announced then.
  if (live.length === 0) return settings.source === 'auto' ? null : (ofTests[0] ?? null)
  const runs = live.flatMap((one) => one.runs)
  const named = runs.flatMap(({ model, wire, priced = [] }): AskedModel[] => [
    ...(model === null ? [] : [{ model, wire }]),
    ...priced,
  ])
  const unpriced = describeUnpriced(named, settings.prices)
  const lines = [
    describeCosts(live, settings.maxCostUsd),
    describeModels(runs),
    ...ofTests,
    ...(unpriced === null ? [] : [`agent-evals: ${unpriced}`]),
  ]
  return lines.join('\n')
}

// Each run has answers of its own: some may be recorded and others not.
async function listLive(request: CaseToFind): Promise<readonly LiveRun[]> {
  const runs = countTo(countRuns(request.evalCase, request.settings))
  const live = await Promise.all(runs.map((run) => findLive(request, run)))
  return live.filter((one) => one !== null)
}

/** What a live run asks. */
export interface LiveRun {
  readonly engine: string
  /** `null` where only the run shows which model the engine takes. */
  readonly model: string | null
  /** Whether nothing but the engine names that model. */
  readonly isDefault: boolean
  readonly wire: AskedModel['wire']
  /** `null` where none is asked, `unknown` for the model of the agent where that is. */
  readonly judge: string | null
  /** Its judge with its API, where it is known before the run. */
  readonly priced?: readonly AskedModel[]
  /** Whether it is played from a recording that may turn out to be stale. */
  readonly isRecorded: boolean
}

interface CaseToFind {
  readonly suite: Suite
  readonly evalCase: EvalCase
  readonly engineName: string
  readonly settings: RunSettings
  readonly store: EvalsReporterOptions['store']
  readonly inputs: InputCache
}

async function findLive(request: CaseToFind, run: number): Promise<LiveRun | null> {
  const { suite, evalCase, engineName, settings, store, inputs } = request
  try {
    const engine = await engineNamed(engineName, settings)
    const asked = askedOf(engine, request, settings)
    // Without a key nothing is spent: the case says what is missing.
    if (!hasCredential(asked.wire, process.env)) return null
    const source = await chooseSource({ ...request, ...asked, run })
    if (source.name === null) return null
    const isRecorded = source.recording !== null
    if (!isRecorded && upstreamKind(source.answers) !== 'live') return null
    const named = isRecorded ? (source.whenStale?.model ?? source.model) : source.model
    const model = liveModelOf(engine, named, settings.prices)
    const chosen = judgeOf({ suite, evalCase, settings, engineName, model })
    const judge = chosen === null ? null : chosen === 'unknown' ? chosen : chosen.model
    const found: LiveRun = {
      engine: engineName,
      model,
      isDefault: named === null,
      wire: asked.wire,
      judge,
      isRecorded,
      ...(chosen === null || chosen === 'unknown' ? {} : { priced: [{ ...chosen, wire: kindOf(chosen).wire }] }),
    }
    if (!isRecorded) return found
    const pkg = await store.packageFor(suite, evalCase)
    const scenario = source.scenario?.file ?? null
    return (await mayGoLive(source, { suite, evalCase, package: pkg, scenario }, judge, inputs)) ? found : null
  } catch {
    // The case itself says what is wrong with it.
    return null
  }
}

// A list of judges is tried in its order.
function judgeOf(request: Parameters<typeof judgesOf>[0]): ChosenJudge | 'unknown' | null {
  const asked = judgesOf(request)
  if (asked === null || asked.judges?.length === 0) return null
  return asked.judges?.find((judge) => missingFor(judge) === null) ?? 'unknown'
}

/** A case of which some runs go live. */
export interface LiveCase {
  /** Those that go live. */
  readonly runs: readonly LiveRun[]
  /** Of one of them. */
  readonly cost: CostOfRun
  readonly arm: 'with_skill' | 'without_skill'
}

/** What live cases are about to cost, by what they cost before, and what limits it. Unknown costs are never guessed. */
export function describeCosts(live: readonly LiveCase[], maxCostUsd: number): string {
  const sums = live.map(({ runs, cost }) => ({
    usd: cost.usd === null ? null : cost.usd * runs.length,
    knownUsd: cost.knownUsd * runs.length,
  }))
  const cost = describeCost(addCosts(sums))
  const source = cost === 'unknown' ? '' : ' by earlier runs and recordings'
  const limit = `at most ${dollars(maxCostUsd)} (--max-cost-usd)`
  return `agent-evals: ${describeCases(live)}; estimated cost ${cost}${source}, ${limit}; --source replay never spends`
}

/** Which models live runs ask, for agents and for judges. */
export function describeModels(runs: readonly LiveRun[]): string {
  const models = new Set(
    runs.map(({ engine, model, isDefault }) => {
      if (model === null) return `unknown (${engine} chooses it)`
      return isDefault ? `${model} (default of ${engine})` : model
    }),
  )
  const judges = new Set(runs.flatMap(({ judge }) => judge ?? []))
  return `agent-evals: model: ${[...models].join(', ')}; judge: ${judges.size === 0 ? 'none' : [...judges].join(', ')}`
}

// What they ask is known when they run.
function describeTestFiles(files: readonly Pick<TestFile, 'file'>[], { root }: Pick<RunSettings, 'root'>): string {
  const names = files.slice(0, MOST_NAMES).map(({ file }) => toPrintableLine(pathFrom(root, file)))
  const more = files.length > names.length ? [`and ${files.length - names.length} more`] : []
  return `agent-evals: tests in TypeScript, live calls unknown: ${[...names, ...more].join(', ')}`
}

const MOST_NAMES = 8

function describeCases(live: readonly LiveCase[]): string {
  const recorded = live.filter(({ runs }) => runs.every(({ isRecorded }) => isRecorded)).length
  const without = live.filter(({ arm }) => arm === 'without_skill').length
  const runs = sumOf(live, (one) => one.runs.length)
  const cases = live.length === 1 ? '1 case goes live' : `${live.length} cases go live`
  const ifStale = live.length === 1 ? ' if its recording is stale' : ' if their recordings are stale'
  const some = recorded === 0 ? '' : `, ${recorded} of them only if their recordings are stale`
  const stale = recorded === live.length ? ifStale : some
  const arms = without === 0 ? '' : `, ${without} of them without the skill`
  return `${cases}${stale}${arms}${runs === live.length ? '' : `, in ${runs} runs`}`
}
