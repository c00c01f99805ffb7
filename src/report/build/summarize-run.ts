import { firstLine } from '../../checks/hook-events.ts'
import type { Redactor } from '../../gateway/redact.ts'
import { sumOf } from '../../lib/lists.ts'
import { toolCalls } from '../../transcript/select.ts'
import type { AgentRun } from '../../transcript/transcript.ts'
import type { SuiteConfig } from '../../formats/suite.ts'
import type { CaseResult, RunSummary, TurnResult } from '../results/result.ts'

/** What the journal keeps of a run; the transcript stays in its folder. */
export function summarizeRun(run: AgentRun, index: number, folder: string | null): RunSummary {
  const { status, problem, exitCode, durationMs, requests, usage, costUsd, files, stopReason } = run
  return {
    index,
    status,
    problem,
    exitCode,
    durationMs,
    ...(stopReason === undefined ? {} : { stopReason }),
    requests,
    usage,
    costUsd,
    files: capFiles(files),
    hooks: run.transcript
      .filter((event) => event.kind === 'hook')
      .slice(0, MOST)
      .map(({ event, tool, decision, exitCode: code, reason, told }) => ({
        event,
        tool,
        decision,
        exitCode: code,
        reason: reason.slice(0, 500),
        ...(told === undefined ? {} : { told: told.map((one) => ({ ...one, text: one.text.slice(0, 500) })) }),
      })),
    toolCalls: countToolCalls(run),
    skillsUsed: [...new Set(run.transcript.flatMap((event) => (event.kind === 'skill-used' ? [event.skill] : [])))],
    ...failedCallsOf(run),
    lastMessage: takeCharacters(run.finalMessage, 2000),
    folder,
    ...(run.workspace === null ? {} : { workspace: run.workspace }),
  }
}

/** What the journal keeps of a turn. */
export function summarizeTurn(
  run: AgentRun,
  { turn, prompt, ...decision }: Pick<TurnResult, 'errorCode' | 'outcome' | 'prompt' | 'reason' | 'turn'>,
): TurnResult {
  const {
    costUsd,
    durationMs,
    files,
    lastMessage,
    requests,
    skillsUsed,
    toolCalls: calls,
    usage,
  } = summarizeRun(run, turn, null)
  const figures = { costUsd, durationMs, requests, usage }
  return {
    turn,
    prompt: takeCharacters(prompt, 2000),
    ...decision,
    ...figures,
    files,
    toolCalls: calls,
    skillsUsed,
    lastMessage,
  }
}

/** Which engine and model gave a run. */
export function engineOf(run: AgentRun): NonNullable<CaseResult['engine']> {
  const { engine: name, engineVersion: version, modelAsked, model, sessionId, record } = run
  return { name, version, modelAsked, model, sessionId, ...(record === 'engine' ? { record } : {}) }
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

function failedCallsOf(run: AgentRun): Pick<RunSummary, 'failedCalls'> {
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
function capFiles({ created, modified, deleted, unreadable }: AgentRun['files']): RunSummary['files'] {
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
