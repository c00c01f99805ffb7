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
export { toBeBlocked } from './hooks.ts'
export { toContainOutput } from './tools-and-files.ts'
export { toHaveCalledTool, toHaveCalledToolsInOrder } from './tools-and-files.ts'
export { toHaveCreatedFile, toHaveModifiedFile } from './tools-and-files.ts'
export { toMeetExpectations, toPassJudge } from './judges.ts'
export { toScoreAtLeast } from './judges.ts'
export { toHaveFired, toHaveFiredAtLeast } from './tools-and-files.ts'
export { toHaveHookOutput, toHaveRunHook } from './hooks.ts'
export { toHaveUsedSkill } from './tools-and-files.ts'
