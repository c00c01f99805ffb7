import { nearest, type RunSettings } from '../../settings.ts'
import { kindOf } from '../../suites/kinds.ts'
import type { CasePart, TriggerQuestion } from '../../suites/suite.ts'

/** How often a case is run: as configured, but at least twice to measure noise. */
export function countRuns(evalCase: CasePart<'runs'>, settings: Pick<RunSettings, 'measureNoise' | 'runs'>): number {
  const kind = kindOf(evalCase)
  const runs = nearest(settings.runs, kind.runs(evalCase), kind.defaultRuns)
  return Math.max(runs, settings.measureNoise && kind.isRepeatedForNoise ? 2 : 1)
}

/** Share of the completed runs of a query from which on it counts as fired. */
export function triggerThreshold(
  { threshold }: Pick<TriggerQuestion, 'threshold'>,
  settings: Pick<RunSettings, 'triggerThreshold'>,
): number {
  return nearest(settings.triggerThreshold, threshold, TRIGGER_THRESHOLD)
}

const TRIGGER_THRESHOLD = 0.5
