import { requireEngine } from '../../engines/registry.ts'
import { upstreamKind } from '../../gateway/lease.ts'
import { readPastRuns, type PastRun } from '../../report/past-runs.ts'
import { chooseSource } from '../../session/choose-source.ts'
import { planCase } from '../../session/plan-case.ts'
import { isBroken, selectCases } from './create-plan.ts'
import type { TestSpecification } from 'vitest/node'
import type { RunSettings } from '../../run-settings.ts'
import type { EvalCase, Suite } from '../../suites/suite.ts'
import type { EvalsReporterOptions } from './evals-reporter.ts'

/** The line before anything is spent; `null` when no case goes live. */
export async function announceLive(
  specifications: readonly TestSpecification[],
  options: EvalsReporterOptions,
): Promise<string | null> {
  const { settings, store } = options
  if (!mayGoLive(settings)) return null

  const costs: (number | null)[] = []
  const past = new Map<string, ReadonlyMap<string, PastRun>>()
  for (const specification of specifications) {
    const suite = await store.load(specification.moduleId)
    if (isBroken(suite)) continue
    for (const evalCase of await selectCases(suite, specification, options)) {
      const { id, engineName, packageRoot } = planCase(suite, evalCase, settings)
      if (!(await goesLive(suite, evalCase, engineName, settings))) continue
      const key = `${engineName}\0${packageRoot}`
      const runs = past.get(key) ?? readPastRuns(packageRoot, engineName)
      past.set(key, runs)
      costs.push(runs.get(id)?.costUsd ?? null)
    }
  }
  return costs.length === 0 ? null : describeCosts(costs)
}

function mayGoLive({ source, liveForbidden }: RunSettings): boolean {
  return source === 'live' || source === 'record' || (source === 'auto' && liveForbidden === null)
}

async function goesLive(suite: Suite, evalCase: EvalCase, engineName: string, settings: RunSettings): Promise<boolean> {
  try {
    const { wire } = requireEngine(engineName)
    const source = await chooseSource({ suite, evalCase, engineName, wire, settings })
    return source.name !== null && upstreamKind(source.answers) === 'live'
  } catch {
    // The case itself says what is wrong with it.
    return false
  }
}

/** What live cases are about to cost, from what they cost before; what is not known is said, never guessed. */
export function describeCosts(costs: readonly (number | null)[]): string {
  const known = costs.filter((cost) => cost !== null)
  const cases = costs.length === 1 ? '1 case goes live' : `${costs.length} cases go live`
  if (known.length === 0) return `agent-evals: ${cases}; what that costs is not known, no report has its price`
  const sum = known.reduce((total, cost) => total + cost, 0)
  const unknown = costs.length - known.length
  const rest = unknown === 0 ? '' : `, ${unknown} of them of unknown cost`
  return `agent-evals: ${cases}${rest}; about $${sum.toFixed(2)} by the last reports`
}
