import { planCase } from '../../case/plan/plan-case.ts'
import { isBroken, planBrokenSuite } from './create-plan.ts'
import { TEST_FORMAT } from '../../suites/formats/typescript/name.ts'
import type { PlannedCase } from '../../results/result.ts'
import type { EvalsReporterOptions } from './reporter-options.ts'

/** Tells the cases that a watching Vitest has run and that are in no file any more: renamed, or deleted with it. */
export async function findRemoved({
  store,
  settings,
}: Pick<EvalsReporterOptions, 'settings' | 'store'>): Promise<(planned: PlannedCase) => boolean> {
  const there = new Set<string>()
  for (const file of await store.find()) {
    const suite = await store.load(file)
    const planned = isBroken(suite)
      ? [planBrokenSuite(suite, settings)]
      : suite.cases.map((evalCase) => planCase(suite, evalCase, settings))
    for (const one of planned) there.add(keyOf(one))
  }
  return (planned) => planned.format !== TEST_FORMAT && !there.has(keyOf(planned))
}

// An arm is a case too, and is written nowhere.
function keyOf({ packageRoot, id }: PlannedCase): string {
  return `${packageRoot}\0${id.replace(/@[a-z_]+$/, '')}`
}
