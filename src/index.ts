export { AgentEvalsError, type AgentEvalsErrorOptions, type ErrorCode } from './lib/errors.ts'
export { agentEvals } from './vitest/plugin/create-plugin.ts'
export type {
  Engine,
  EngineCommand,
  CommandRequest,
  GatewayAccess,
  Installation,
  InstallRequest,
  ProgramEngine,
  SessionPaths,
} from './engines/engine.ts'
export type { RecordTable, StreamReader, StreamSummary } from './engines/stream.ts'
export type { HookPlan, PlannedHook } from './engines/hooks/hook-plan.ts'
export type { AgentEvalsOptions, CustomEngine, SourceChoice } from './options/options.ts'
export type { Report, ReportCase, ReportRun, ReportSummary } from './report/report.ts'
export type { AgentRun, ChangedFile, FileChanges, RunStatus } from './transcript/transcript.ts'
export type { Blocker, HookDecision, TranscriptEvent, Usage } from './transcript/transcript.ts'
