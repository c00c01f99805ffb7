import { mergeDecisions, type HookContext } from '../engines/hooks/hook-decisions.ts'
import type { RecordedDecision } from '../engines/hooks/hook-plan.ts'
import { sumOf } from '../lib/lists.ts'
import type { AgentRun, FileChanges, UnnumberedEvent } from '../transcript/transcript.ts'

/** A message of the user, as an event. */
export function promptEvent(turn: number, text: string): UnnumberedEvent {
  return { kind: 'prompt', agent: null, turn, text, from: 'given to the model' }
}

/** As {@link mergeDecisions}, each decision in the turn in which it was made; `before`: how many came before each turn. */
export function mergeTurns(
  events: readonly UnnumberedEvent[],
  decisions: readonly RecordedDecision[],
  before: readonly number[] = [0],
  context: HookContext,
): readonly UnnumberedEvent[] {
  const starts = events.flatMap((event, index) => (event.kind === 'prompt' ? [index] : []))
  if (starts.length < 2) return mergeDecisions(events, decisions, context)
  return starts.flatMap((start, turn) => {
    const merged = mergeDecisions(
      events.slice(turn === 0 ? 0 : start + 1, starts[turn + 1]),
      decisions.slice(before[turn], before[turn + 1]),
      context,
    )
    return turn === 0 ? merged : [...events.slice(start, start + 1), ...merged]
  })
}

/** What the main thread says in these events. */
export function outputOf(events: readonly UnnumberedEvent[]): Pick<AgentRun, 'finalMessage' | 'output'> {
  const said = events.flatMap((event) => (event.kind === 'message' && event.agent === null ? [event.text] : []))
  return { output: said.join('\n\n'), finalMessage: said.at(-1) ?? '' }
}

/** The last turn of a run so far, which has followed these; `files` is what has changed in it. */
export function turnOf(run: AgentRun, earlier: readonly AgentRun[], files: FileChanges): AgentRun {
  const { eventTimes: _times, trace: _trace, transcript: all, usage, ...rest } = run
  const transcript = earlier.length === 0 ? all : all.slice(all.findLastIndex(({ kind }) => kind === 'prompt'))
  const ofEarlier = (figure: (turn: AgentRun) => number | null): number => sumOf(earlier, (turn) => figure(turn) ?? 0)
  return {
    ...rest,
    transcript,
    ...outputOf(transcript),
    files,
    usage:
      usage === null
        ? null
        : {
            inputTokens: usage.inputTokens - ofEarlier((turn) => turn.usage?.inputTokens ?? 0),
            outputTokens: usage.outputTokens - ofEarlier((turn) => turn.usage?.outputTokens ?? 0),
            cacheReadTokens: usage.cacheReadTokens - ofEarlier((turn) => turn.usage?.cacheReadTokens ?? 0),
            cacheWriteTokens: usage.cacheWriteTokens - ofEarlier((turn) => turn.usage?.cacheWriteTokens ?? 0),
          },
    costUsd: run.costUsd === null ? null : run.costUsd - ofEarlier((turn) => turn.costUsd),
    requests: run.requests - ofEarlier((turn) => turn.requests),
    durationMs: Math.max(0, run.durationMs - ofEarlier((turn) => turn.durationMs)),
  }
}
