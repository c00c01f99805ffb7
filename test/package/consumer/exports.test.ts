// The names that version 0.1 exported, under which projects import them today, and the fields that have newer names.
import { expect, test } from 'vitest'
import { AgentEvalsError, agentEvals } from 'vitest-agent-evals'
import * as matchers from 'vitest-agent-evals/matchers'
import * as evals from 'vitest-agent-evals/test'
import type * as api from 'vitest-agent-evals'

export type Types = [
  api.AgentEvalsErrorOptions,
  api.AgentEvalsOptions,
  api.AgentRun,
  api.Blocker,
  api.ChangedFile,
  api.CommandRequest,
  api.Engine,
  api.EngineCommand,
  api.ErrorCode,
  api.FileChanges,
  api.GatewayAccess,
  api.HookDecision,
  api.HookPlan,
  api.Installation,
  api.InstallRequest,
  api.PlannedHook,
  api.Report,
  api.ReportCase,
  api.ReportRun,
  api.ReportSummary,
  api.RunStatus,
  api.SessionPaths,
  api.SourceChoice,
  api.StreamReader,
  api.StreamSummary,
  api.TranscriptEvent,
  api.Usage,
  evals.Agent,
  evals.AgentRun,
  evals.AgentRunOptions,
  evals.BlockedCall,
  evals.ContinueOptions,
  evals.EvalFixtures,
  evals.JudgeOptions,
  evals.RunChoices,
  evals.ToolCall,
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

export function leastScore(run: api.AgentRun): unknown {
  return [
    expect(run).toScoreAtLeast('rubric.md', { min: 4.5 }),
    // @ts-expect-error: a score is a number
    expect(run).toScoreAtLeast('rubric.md', { min: 'high' }),
  ]
}
