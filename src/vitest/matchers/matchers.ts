export {
  toHaveCalledNoTool,
  toHaveFileContaining,
  toHaveMaxCostUsd,
  toHaveMaxSeconds,
  toHaveMaxTokens,
  toHaveMaxTurns,
  toMatchJsonSchema,
  toMatchOutput,
} from './check-matchers.ts'
export { toBeBlocked } from './to-be-blocked.ts'
export { toContainOutput } from './to-contain-output.ts'
export { toHaveCalledTool, toHaveCalledToolsInOrder } from './to-have-called-tool.ts'
export { toHaveCreatedFile, toHaveModifiedFile } from './to-have-created-file.ts'
export { toMeetExpectations, toPassJudge } from './to-pass-judge.ts'
export { toScoreAtLeast } from './to-score-at-least.ts'
export { toHaveFired, toHaveFiredAtLeast } from './to-have-fired.ts'
export { toHaveHookOutput, toHaveRunHook } from './to-have-run-hook.ts'
export { toHaveUsedSkill } from './to-have-used-skill.ts'
