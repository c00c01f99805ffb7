import { pluginNameOf, type CasePlugin } from '../../agent/plugin-case/case-plugins.ts'
import { isCompared } from '../../suites/formats/plugin-eval/arms.ts'
import type { GradedCase } from './grade-run.ts'
import type { GradedDefinition } from '../../results/graded-part.ts'
import type { RunSettings } from '../../settings.ts'
import type { AgentPackage } from '../../packages/package.ts'

/** What a case asks, for the report of its format. */
export function defineGraded(
  { pluginEval, prompt }: GradedCase,
  plugins: readonly (CasePlugin & Pick<AgentPackage, 'manifest'>)[],
  { ablation }: Pick<RunSettings, 'ablation'>,
): GradedDefinition {
  const { caseDir, name, source, execution, graders } = pluginEval
  return {
    caseDir,
    name,
    source,
    prompt,
    model: execution.model,
    plugins: plugins.map((plugin) => ({
      name: pluginNameOf(plugin),
      version: plugin.manifest?.version ?? null,
      path: plugin.root,
    })),
    ablation: isCompared(pluginEval, ablation) ? 'with-without' : 'none',
    maxTurns: execution.maxTurns,
    timeoutSeconds: execution.timeoutSeconds,
    graders,
  }
}
