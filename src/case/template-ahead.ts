import { namesOfEngines } from '../engines/registry.ts'
import { isProgram } from '../engines/find/find.ts'
import { makeTemplate, templateName, type TemplateMaking } from '../agent/first-turn/template.ts'
import { whyFull } from '../agent/first-turn/why-full.ts'
import { createInputCache } from '../inputs/input-cache.ts'
import { kindOf } from '../suites/kinds.ts'
import { createSuiteCache } from '../suites/suite-cache.ts'
import { firstTurnPlan, noteQuery } from './first-turn-plan.ts'
import { identifyCase } from './plan/plan-case.ts'
import { prepareRun } from './prepare/prepare-run.ts'
import type { PreparedValue } from '../gateway/first-turn/prepared.ts'
import type { RunSettings } from '../settings.ts'
import type { EvalCase, Suite } from '../suites/suite.ts'

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
    const asked = { label: `${id} (run 1)`, engineName, suite, evalCase, run: 1, settings, packages, inputs, signal }
    const prepared = await prepareRun(asked).catch(() => null)
    const question = kindOf(evalCase).question(evalCase)
    if (prepared === null || 'skipped' in prepared || question === null) continue
    const { request } = prepared
    const scope = firstTurnPlan({ suite, settings }, prepared, question)
    const rules = isProgram(request.engine) ? request.engine.engine.firstTurn : undefined
    const verifies = scope.mode === 'verify'
    if (scope.mode === 'full' || rules === undefined || whyFull(request, rules, { ...scope, verifies }) !== null)
      continue
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
