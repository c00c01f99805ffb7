import { firstLine } from '../../checks/hook-events.ts'
import { createRedactor, type Redactor } from '../../gateway/redact.ts'
import { apiOfModel } from '../../gateway/wires/apis.ts'
import { sumOf } from '../../lib/lists.ts'
import { toolCalls, type RunDecision } from '../../transcript/select.ts'
import type { AgentRun, Usage } from '../../transcript/transcript.ts'
import type { SuiteConfig } from '../../formats/suite.ts'
import type { ReportUsage } from '../report.ts'
import type { CaseResult, CaseRun, CaseTurn } from '../results/result.ts'

/** A run as the report has it; its transcript stays in its folder. */
export function summarizeRun(
  run: AgentRun,
  index: number,
  folder: string | null,
  { decided = null, turns }: { decided?: RunDecision | null | undefined; turns?: readonly CaseTurn[] | undefined } = {},
): CaseRun {
  const { stopReason, workspace } = run
  const files = capFiles(run.files)
  return {
    index,
    status: run.status,
    problem: run.problem,
    exit_code: run.exitCode,
    duration_seconds: seconds(run.durationMs),
    requests: run.requests,
    usage: reportUsage(run.usage),
    cost_usd: run.costUsd,
    files: { ...files, unreadable: files.unreadable.map(({ path, reason }) => ({ path, reason })) },
    hooks: hooksOf(run),
    tool_calls: countToolCalls(run),
    skills_used: [...new Set(run.transcript.flatMap((event) => (event.kind === 'skill-used' ? [event.skill] : [])))],
    decided_by: decided?.by ?? null,
    decided_because: decided?.because ?? null,
    ...(turns === undefined ? {} : { turns }),
    folder,
    internal: {
      ...(stopReason === undefined ? {} : { stopReason }),
      ...failedCallsOf(run),
      lastMessage: takeCharacters(run.finalMessage, 2000),
      ...(workspace === null ? {} : { workspace }),
    },
  }
}

function hooksOf({ transcript }: AgentRun): CaseRun['hooks'] {
  return transcript
    .filter((event) => event.kind === 'hook')
    .slice(0, MOST)
    .map(({ event, tool, decision, exitCode, reason, told = [] }) => ({
      event,
      tool,
      decision,
      exit_code: exitCode,
      reason: reason.slice(0, 500),
      told: told.map(({ what, text, reachedModel }) => ({
        what,
        text: text.slice(0, 500),
        reached_model: reachedModel,
      })),
    }))
}

/** A turn as the report has it. */
export function summarizeTurn(
  run: AgentRun,
  { turn, prompt, ...decision }: Pick<CaseTurn, 'error' | 'error_code' | 'outcome' | 'prompt' | 'turn'>,
): CaseTurn {
  const { created, modified, deleted, unreadable } = capFiles(run.files)
  const { duration_seconds, requests, usage, cost_usd, tool_calls, skills_used, internal } = summarizeRun(
    run,
    turn,
    null,
  )
  return {
    turn,
    prompt: takeCharacters(prompt, 2000),
    ...decision,
    duration_seconds,
    requests,
    usage,
    cost_usd,
    files: { created, modified, deleted },
    tool_calls,
    skills_used,
    last_message: internal.lastMessage,
    internal: { unreadable },
  }
}

/** Tokens in the words of the report. */
export function reportUsage(usage: Usage | null): ReportUsage | null {
  if (usage === null) return null
  return {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cache_read_tokens: usage.cacheReadTokens,
    cache_write_tokens: usage.cacheWriteTokens,
  }
}

/** Milliseconds as seconds of a report. */
export function seconds(milliseconds: number): number {
  return Math.round(milliseconds) / 1000
}

/** What a result says of the run that it shows: who gave it, in what sandbox, and how its output begins. */
export function factsOf(
  run: AgentRun,
): Pick<CaseResult, 'agent' | 'agent_output_snippet' | 'modelAsked' | 'record' | 'sandbox'> {
  const { engine, engineVersion, modelAsked, model, sessionId, record, sandbox } = run
  return {
    agent: {
      runtime: engine,
      runtime_version: engineVersion,
      model,
      model_provider: makerOf(model),
      session_id: sessionId,
    },
    modelAsked,
    ...(record === 'engine' ? { record } : {}),
    agent_output_snippet: snippetOf(run.output, createRedactor(process.env)),
    sandbox,
  }
}

/** Who makes a model, by its name; `null` rather than a guess. */
export function makerOf(model: string | null): string | null {
  // A person wrote the scenario, whatever model it plays.
  return model === 'scenario' ? null : (apiOfModel(model ?? '')?.name ?? null)
}

/** The first 500 characters of an output. Secrets are taken out first: the cut could leave half of one. */
export function snippetOf(output: string, redactor: Redactor): string {
  // A secret is not longer than this, and a 20 MB output is not searched for 500 characters.
  return takeCharacters(redactor.text(output.slice(0, 20_000)), 500)
}

/** How often each tool was called. */
export function countToolCalls(run: AgentRun): Readonly<Record<string, number>> {
  const counts = new Map<string, number>()
  for (const event of run.transcript)
    if (event.kind === 'tool-call') counts.set(event.tool, (counts.get(event.tool) ?? 0) + 1)
  return Object.fromEntries(counts)
}

function failedCallsOf(run: AgentRun): Pick<CaseRun['internal'], 'failedCalls'> {
  const lines = toolCalls(run).flatMap(({ call, result }) => {
    if (result === null || (!result.isError && result.blockedBy === null)) return []
    const how = result.blockedBy === null ? 'failed' : `was stopped by the ${result.blockedBy}`
    return [`${call.tool} ${takeCharacters(JSON.stringify(call.input), 100)} ${how}: ${firstLine(result.text)}`]
  })
  return lines.length === 0 ? {} : { failedCalls: lines.slice(0, MOST_CALLS) }
}

const MOST_CALLS = 20

/** A notice for each tool call of a scenario that failed: its text was written as if it had worked. */
export function scenarioNotices(run: AgentRun): readonly string[] {
  return toolCalls(run)
    .filter(({ result }) => result?.isError === true && result.blockedBy === null)
    .slice(0, MOST_CALLS)
    .map(({ call, result }) => {
      const input = takeCharacters(JSON.stringify(call.input), 100)
      return `${SCENARIO_CALL} ${call.tool} ${input}: ${firstLine(result?.text ?? '')}`
    })
}

/** Whether a notice is what {@link scenarioNotices} says. */
export function isScenarioNotice(notice: string): boolean {
  return notice.startsWith(SCENARIO_CALL)
}

const SCENARIO_CALL = 'A tool call of the scenario failed:'

/** Says that nothing kept a run to the writable paths of its suite; empty where something did, or where it has none. */
export function unenforcedPaths(
  { sandbox }: Pick<AgentRun, 'sandbox'>,
  { writablePaths }: Pick<SuiteConfig, 'writablePaths'>,
): readonly string[] {
  if (writablePaths === null || !sandbox.enforced.startsWith('none')) return []
  return [`${UNENFORCED} ${writablePaths.join(', ')}. Without a sandbox an agent writes where it likes.`]
}

/** Whether a notice is what {@link unenforcedPaths} says. */
export function isUnenforcedNotice(notice: string): boolean {
  return notice.startsWith(UNENFORCED)
}

const UNENFORCED = '`writable-paths` were not enforced:'

// An agent that unpacks an archive must not make every later report unreadable.
function capFiles({ created, modified, deleted, unreadable }: AgentRun['files']): AgentRun['files'] {
  const lists = [created, modified, deleted, unreadable]
  const left = sumOf(lists, (list) => Math.max(0, list.length - MOST))
  const cut =
    left === 0
      ? []
      : ([
          {
            path: '.',
            reason: `has ${left} more changes; the folder of the run has them`,
            kind: 'hidden',
            isNew: false,
          },
        ] as const)
  return {
    created: created.slice(0, MOST),
    modified: modified.slice(0, MOST),
    deleted: deleted.slice(0, MOST),
    unreadable: [...unreadable.slice(0, MOST), ...cut],
  }
}

function takeCharacters(text: string, count: number): string {
  return Array.from(text.slice(0, count * 2))
    .slice(0, count)
    .join('')
}

const MOST = 500
