import type { PluginEvalCase } from '../../../src/formats/plugin-eval/model.ts'

/** What a case of `claude plugin eval` in `/plug/evals/one` has beyond others. */
export function pluginEvalCase(part: Partial<PluginEvalCase> = {}): PluginEvalCase {
  return {
    name: 'one',
    caseDir: '/plug/evals/one',
    evalsDir: '/plug/evals',
    pluginDirs: ['/plug'],
    expectedOutcome: null,
    runs: 3,
    context: { scaffold: null, history: null, addDirs: [] },
    execution: {
      maxTurns: 10,
      timeoutSeconds: 300,
      model: null,
      allowedTools: [],
      disallowedTools: [],
      appendSystemPrompt: null,
      env: {},
    },
    graders: [],
    mocks: [],
    ...part,
  }
}
