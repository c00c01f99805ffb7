import { kindOf } from '../../suites/kinds.ts'
import { isBroken } from './create-plan.ts'
import type { TestSpecification } from 'vitest/node'
import type { templateAhead } from '../../case/template-ahead.ts'
import type { PreparedValue } from '../../gateway/first-turn/prepared.ts'
import type { RunSettings } from '../../settings.ts'
import type { EvalsReporterOptions } from './reporter-options.ts'

/** Begins what the first suite with trigger queries needs: starting a CLI takes longer than starting a worker. */
export async function prepareAhead(
  specifications: readonly TestSpecification[],
  options: EvalsReporterOptions,
  settings: RunSettings,
): Promise<PreparedValue | null> {
  // What earlier runs have decided is not asked again.
  if (settings.resume || settings.triggers === 'full') return null
  for (const specification of specifications) {
    const suite = await options.store.load(specification.moduleId)
    if (isBroken(suite)) continue
    const selected = await options.planner.of(suite)
    const queries = selected.filter((one) => {
      return kindOf(one).selectedBy === 'trigger' && one.skipped === undefined && one.broken === undefined
    })
    if (queries.length === 0) continue
    // A run without queries does without what prepares them.
    const prepare = await loadTemplateAhead()
    return prepare({ suite, queries, settings, signal: options.closed })
  }
  return null
}

/** Loads what prepares queries; a plugin that finds some asks for it before it is needed. */
export async function loadTemplateAhead(): Promise<typeof templateAhead> {
  return (await import('../../case/template-ahead.ts')).templateAhead
}
