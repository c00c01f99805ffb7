import type { AgentRun } from '../transcript/agent-run.ts'
import type { Drift } from './drift.ts'
import type { RecordedHook } from './recording.ts'

/** What the hooks of a run decided, in a fixed order: hooks of parallel calls decide in any. */
export function recordHooks({ transcript }: Pick<AgentRun, 'transcript'>): readonly RecordedHook[] {
  return transcript
    .flatMap((event) => (event.kind === 'hook' && event.decision !== 'allowed' ? [event] : []))
    .map(({ event, tool, decision }) => ({ event, tool, decision }))
    .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

/** Finds the hooks that decide otherwise now. What a hook says beside a tool is in no tool's result. */
export function findHookDrift(
  recorded: readonly RecordedHook[] | null,
  now: readonly RecordedHook[],
): readonly Drift[] {
  if (recorded === null) return []
  const gone = without(recorded, now).map((hook) => drift(hook, hook.decision, 'none'))
  const added = without(now, recorded).map((hook) => drift(hook, 'none', hook.decision))
  return [...gone, ...added]
}

function drift({ event, tool }: RecordedHook, recorded: string, now: string): Drift {
  return { call: `the hook of ${event}${tool === null ? '' : ` (${tool})`}`, line: null, recorded, now }
}

function without(hooks: readonly RecordedHook[], others: readonly RecordedHook[]): readonly RecordedHook[] {
  const left = others.map(keyOf)
  return hooks.filter((hook) => {
    const index = left.indexOf(keyOf(hook))
    if (index >= 0) left.splice(index, 1)
    return index < 0
  })
}

function keyOf({ event, tool, decision }: RecordedHook): string {
  return JSON.stringify([event, tool, decision])
}
