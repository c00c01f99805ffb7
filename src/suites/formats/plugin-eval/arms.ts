import type { PluginEvalCase } from './model.ts'

/** Which arms cases are run in. `auto`: both, except for a case whose history has the plugin in both. */
export type Ablation = 'auto' | 'none' | 'with-without'

/** Whether a case also runs without its plugins. */
export function isCompared({ context, pluginDirs }: PluginEvalCase, ablation: Ablation): boolean {
  if (ablation === 'none' || pluginDirs.length === 0) return false
  return ablation === 'with-without' || context.history === null
}
