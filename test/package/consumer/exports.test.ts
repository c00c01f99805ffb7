// The names that version 0.1 exported, under which projects import them today, and the fields that have newer names.
import { expect, test } from 'vitest'
import {
  AgentEvalsError,
  agentEvals,
  type AgentEvalsErrorOptions,
  type AgentEvalsOptions,
  type AgentRun,
  type Blocker,
  type ChangedFile,
  type CommandRequest,
  type CustomEngine,
  type Engine,
  type EngineCommand,
  type ErrorCode,
  type FileChanges,
  type GatewayAccess,
  type Heard,
  type HeardStep,
  type HookDecision,
  type HookPlan,
  type Installation,
  type InstallRequest,
  type Observed,
  type ObservedStep,
  type OwnEngine,
  type PlannedHook,
  type ProgramEngine,
  type Report,
  type ReportCase,
  type ReportRun,
  type ReportSummary,
  type RunStatus,
  type SessionPaths,
  type SourceChoice,
  type StreamReader,
  type StreamSummary,
  type TranscriptEvent,
  type Usage,
} from 'vitest-agent-evals'
import * as matchers from 'vitest-agent-evals/matchers'
import * as evals from 'vitest-agent-evals/test'
import type {
  Agent,
  AgentRun as RunOfTest,
  AgentRunOptions,
  BlockedCall,
  ContinueOptions,
  EvalFixtures,
  JudgeOptions,
  RunChoices,
  ToolCall,
} from 'vitest-agent-evals/test'

export type Types = [
  AgentEvalsErrorOptions,
  AgentEvalsOptions,
  AgentRun,
  Blocker,
  ChangedFile,
  CommandRequest,
  Engine,
  EngineCommand,
  ErrorCode,
  FileChanges,
  GatewayAccess,
  HookDecision,
  HookPlan,
  Installation,
  InstallRequest,
  PlannedHook,
  Report,
  ReportCase,
  ReportRun,
  ReportSummary,
  RunStatus,
  SessionPaths,
  SourceChoice,
  StreamReader,
  StreamSummary,
  TranscriptEvent,
  Usage,
  Agent,
  RunOfTest,
  AgentRunOptions,
  BlockedCall,
  ContinueOptions,
  EvalFixtures,
  JudgeOptions,
  RunChoices,
  ToolCall,
]

test('the values of version 0.1 are exported', () => {
  expect([AgentEvalsError, agentEvals]).toEqual([expect.any(Function), expect.any(Function)])
  expect(Object.keys(matchers)).toEqual(
    expect.arrayContaining([
      'toBeBlocked',
      'toContainOutput',
      'toHaveCalledTool',
      'toHaveCalledToolsInOrder',
      'toHaveCreatedFile',
      'toHaveModifiedFile',
      'toHaveUsedSkill',
      'toMeetExpectations',
      'toPassJudge',
      'toScoreAtLeast',
    ]),
  )
  expect(Object.keys(evals)).toEqual(
    expect.arrayContaining([
      'blockedCalls',
      'describe',
      'expect',
      'finalMessage',
      'hookDecisions',
      'skillsUsed',
      'test',
      'toolCalls',
    ]),
  )
})

/** Earlier names are aliases, both ways. */
export function rename(observed: Heard, step: HeardStep, engine: OwnEngine): [Observed, ObservedStep, CustomEngine] {
  const back: [Heard, HeardStep, OwnEngine] = [observed, step, engine] satisfies [Observed, ObservedStep, CustomEngine]
  return back
}

/** An engine may name its fields as version 0.1 did. */
export function nameFields(engine: Omit<Engine, 'transport' | 'forModel' | 'mergeObserved'>): ProgramEngine {
  const old: Pick<ProgramEngine, 'reaches' | 'over' | 'complete'> = { complete: (observed) => observed }
  return { ...(engine as Omit<ProgramEngine, 'reaches'>), ...old, reaches: 'tcp' }
}

export function leastScore(run: AgentRun): unknown {
  return [
    expect(run).toScoreAtLeast('rubric.md', { least: 4.5 }),
    expect(run).toScoreAtLeast('rubric.md', { min: 4.5 }),
    // @ts-expect-error: a score is a number
    expect(run).toScoreAtLeast('rubric.md', { least: 'high' }),
  ]
}
