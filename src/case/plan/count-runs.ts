import { nearest, type RunSettings } from '../../settings.ts'
import type { EvalCase, TriggerQuestion } from '../../suites/suite.ts'

/** How often a case is run: as configured, but at least twice to measure noise. */
export function countRuns(
  { pluginEval, runs = pluginEval?.runs ?? null, trigger }: Pick<EvalCase, 'pluginEval' | 'runs' | 'trigger'>,
  settings: Pick<RunSettings, 'measureNoise' | 'runs'>,
): number {
  if (trigger !== undefined) return nearest(settings.runs, trigger.runs, TRIGGER_RUNS)
  return Math.max(nearest(settings.runs, runs, 1), settings.measureNoise ? 2 : 1)
}

const TRIGGER_RUNS = 3

/** Share of the completed runs of a query from which on it counts as fired. */
export function triggerThreshold(
  { threshold }: Pick<TriggerQuestion, 'threshold'>,
  settings: Pick<RunSettings, 'triggerThreshold'>,
): number {
  return nearest(settings.triggerThreshold, threshold, TRIGGER_THRESHOLD)
}

const TRIGGER_THRESHOLD = 0.5
