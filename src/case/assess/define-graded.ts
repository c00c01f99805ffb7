import { pluginNameOf, type CasePlugin } from '../../agent/plugin-case/case-plugins.ts'
import { isCompared } from '../../suites/formats/plugin-eval/arms.ts'
import { isGraded, type GradedCase } from './graded-case.ts'
import type { GradedDefinition, GradedPart } from '../../results/graded-part.ts'
import type { CaseResult } from '../../results/result.ts'
import type { RunSettings } from '../../settings.ts'
import type { EvalCase } from '../../suites/suite.ts'
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

/** A result with what its case asks, also where nothing could be graded. */
export function withDefinition(
  result: CaseResult,
  evalCase: EvalCase,
  plugins: readonly AgentPackage[],
  settings: Pick<RunSettings, 'ablation' | 'threshold'>,
): CaseResult {
  if (!isGraded(evalCase) || result.graded !== undefined) return result
  const { threshold } = settings
  const graded: GradedPart = {
    score: null,
    threshold,
    graders: [],
    definition: defineGraded(evalCase, plugins, settings),
  }
  return { ...result, graded }
}
