import { join, relative, sep } from 'node:path'
import type { PluginEvalCase } from './model.ts'

/** Which arms cases are run in. `auto`: both, except for a case whose history has the plugin in both. */
export type Ablation = 'auto' | 'none' | 'with-without'

/** Whether a case also runs without its plugins. */
export function isCompared({ context, pluginDirs }: PluginEvalCase, ablation: Ablation): boolean {
  if (ablation === 'none' || pluginDirs.length === 0) return false
  return ablation === 'with-without' || context.history === null
}

/** The folders whose `mocks/` apply to a case, the nearest last: the folder of evals, grouping folders, its own. */
export function mockLayers(caseDir: string, evalsDir: string): readonly string[] {
  const parts = relative(evalsDir, caseDir).split(sep).filter(Boolean)
  return [evalsDir, ...parts.map((_, index) => join(evalsDir, ...parts.slice(0, index + 1)))]
}

/** Absolute paths of the folders that a case of `claude plugin eval` consists of: its own, and those of its mocks. */
export function pluginCaseFolders({ caseDir, evalsDir }: PluginEvalCase): readonly string[] {
  return [caseDir, ...mockLayers(caseDir, evalsDir).map((layer) => join(layer, 'mocks'))]
}
