import { askedOf, engineNamed } from '../../case/prepare/resolve-engine.ts'
import { dollars } from '../../gateway/dollars.ts'
import { upstreamKind } from '../../gateway/lease.ts'
import { readPastRuns, type PastRun } from '../../results/past-runs.ts'
import { chooseSource, type SourceRequest } from '../../case/prepare/choose-source.ts'
import { countRuns } from '../../case/plan/count-runs.ts'
import { mayGoLive } from '../../case/prepare/may-go-live.ts'
import { planCase } from '../../case/plan/plan-case.ts'
import { isBroken, selectCases } from './create-plan.ts'
import type { TestSpecification } from 'vitest/node'
import type { RunSettings } from '../../settings.ts'
import type { EvalCase, Suite } from '../../suites/suite.ts'
import type { EvalsReporterOptions } from './reporter-options.ts'

/** The line before anything is spent; `null` when no case goes live. */
export async function announceLive(
  specifications: readonly TestSpecification[],
  options: EvalsReporterOptions,
): Promise<string | null> {
  const { settings, store } = options
  if (!mayGoLive(settings)) return null

  const live: LiveCase[] = []
  const past = new Map<string, ReadonlyMap<string, PastRun>>()
  for (const specification of specifications) {
    const suite = await store.load(specification.moduleId)
    if (isBroken(suite)) continue
    for (const evalCase of await selectCases(suite, specification, options)) {
      const { id, engineName, packageRoot } = planCase(suite, evalCase, settings)
      const count = await countLive(suite, evalCase, engineName, settings)
      if (count === 0) continue
      const key = `${engineName}\0${packageRoot}`
      const runs = past.get(key) ?? readPastRuns(packageRoot, engineName)
      past.set(key, runs)
      const each = runs.get(id)?.costUsd ?? null
      live.push({ runs: count, costUsd: each === null ? null : each * count, arm: evalCase.arm ?? 'with_skill' })
    }
  }
  return live.length === 0 ? null : describeCosts(live)
}

// Each run has answers of its own: some may be recorded and others not.
async function countLive(suite: Suite, evalCase: EvalCase, engineName: string, settings: RunSettings): Promise<number> {
  const runs = Array.from({ length: countRuns(evalCase, settings) }, (_, index) => index + 1)
  const live = await Promise.all(runs.map((run) => goesLive({ suite, evalCase, run, engineName, settings })))
  return live.filter(Boolean).length
}

async function goesLive(request: Omit<SourceRequest, 'wire'> & { readonly suite: Suite }): Promise<boolean> {
  try {
    const engine = await engineNamed(request.engineName, request.settings)
    const source = await chooseSource({ ...request, ...askedOf(engine, request.suite, request.settings) })
    return source.name !== null && upstreamKind(source.answers) === 'live'
  } catch {
    // The case itself says what is wrong with it.
    return false
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

/** What live cases are about to cost, from what they cost before; what is not known is said, never guessed. */
export function describeCosts(live: readonly LiveCase[]): string {
  const known = live.flatMap(({ costUsd }) => (costUsd === null ? [] : [costUsd]))
  const cases = `agent-evals: ${describeCases(live)}`
  if (known.length === 0) return `${cases}; what that costs is not known, no report has its price`
  const sum = known.reduce((total, cost) => total + cost, 0)
  const unknown = live.length - known.length
  const rest = unknown === 0 ? '' : `, ${unknown} of them of unknown cost`
  return `${cases}${rest}; about ${dollars(sum)} by the last reports`
}

function describeCases(live: readonly LiveCase[]): string {
  const without = live.filter(({ arm }) => arm === 'without_skill').length
  const runs = live.reduce((sum, one) => sum + one.runs, 0)
  const cases = live.length === 1 ? '1 case goes live' : `${live.length} cases go live`
  const arms = without === 0 ? '' : `, ${without} of them without the skill`
  return `${cases}${arms}${runs === live.length ? '' : `, in ${runs} runs`}`
}
