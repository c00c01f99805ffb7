import { compareTexts } from '../lib/text.ts'
import type { AgentRun, HookWords } from '../transcript/transcript.ts'
import { shownLines, type Drift } from './drift.ts'
import { compareLines, markUnstable, markVolatile, recordLines } from './kept-lines.ts'
import type { ResultForm } from './messages.ts'
import type { RecordedHook } from './recording.ts'

/**
 * What the hooks of a run decided and told, in a fixed order; a hook that did neither is left out. A block of a call is in
 * the call's result, and what no model gets is kept only where it is for the user or changes a call. `plain` replaces what
 * only this session has.
 */
export function recordHooks(
  { transcript }: Pick<AgentRun, 'transcript'>,
  plain: (text: string) => string,
  form: ResultForm,
  volatile: readonly string[] = [],
): readonly RecordedHook[] {
  return transcript
    .flatMap((seen) => {
      if (seen.kind !== 'hook') return []
      const { event, tool, decision } = seen
      // When an asynchronous hook ends, and so which request has its words, is chance.
      const told = seen.async === true ? [] : (seen.told ?? []).filter((one) => isKept(one, event))
      const text = told.map((one) => `${one.what}: ${plain(one.text)}`).join('\n')
      return [markVolatile({ event, tool, decision, ...recordLines(text, null, form) }, volatile)]
    })
    .filter(({ decision, lines }) => decision !== 'allowed' || lines.length > 0)
    .toSorted((a, b) => compareTexts(keyOf(a), keyOf(b)))
}

// Context that never arrived, such as that of a session that had ended, was no part of what the model answered.
function isKept({ what, reachedModel }: HookWords, event: string): boolean {
  if (what === 'reason') return reachedModel && event !== 'pre-tool-use'
  return reachedModel || what !== 'context'
}

/** What hooks do otherwise now: drift, and the hooks that tell the model something and told nothing before. */
export interface HookChanges {
  readonly drift: readonly Drift[]
  readonly added: readonly RecordedHook[]
}

/** Finds the hooks that decide or tell something else now; none where the recording notes no hooks. */
export function compareHooks(recorded: readonly RecordedHook[] | null, now: readonly RecordedHook[]): HookChanges {
  const pairs = recorded === null ? [] : pairHooks(recorded, now)
  return {
    drift: pairs.flatMap((pair) => [...decisionDrift(pair), ...(isAdded(pair) ? [] : wordsDrift(pair))]),
    added: pairs.filter(isAdded).map(([, after]) => after),
  }
}

function isAdded([before, after]: HookPair): boolean {
  return before.lines.length === 0 && after.lines.some((line) => FOR_MODEL.test(line))
}

const FOR_MODEL = /^(?:context|reason): /

/** A recorded hook, and what the same one does now. One that does nothing is allowed and has no lines. */
type HookPair = readonly [RecordedHook, RecordedHook]

// Hooks of parallel calls end in any order, so those that do the same are found first.
function pairHooks(recorded: readonly RecordedHook[], now: readonly RecordedHook[]): readonly HookPair[] {
  const left = [...now]
  const found = new Map<RecordedHook, RecordedHook>()
  for (const isAlike of LIKENESSES)
    for (const hook of recorded.filter((one) => !found.has(one))) {
      const index = left.findIndex((one) => isAlike(hook, one))
      for (const other of index < 0 ? [] : left.splice(index, 1)) found.set(hook, other)
    }
  return [
    ...recorded.map((hook): HookPair => [hook, found.get(hook) ?? silent(hook)]),
    ...left.map((hook): HookPair => [silent(hook), hook]),
  ]
}

/** What two hooks may have in common, most first. */
const LIKENESSES: readonly ((a: RecordedHook, b: RecordedHook) => boolean)[] = [
  (a, b) => keyOf(a) === keyOf(b) && compareLines(a, b) === null,
  (a, b) => keyOf(a) === keyOf(b),
  (a, b) => a.event === b.event && a.tool === b.tool,
]

function silent({ event, tool }: RecordedHook): RecordedHook {
  return { event, tool, decision: 'allowed', lines: [], rest: null, unstable: [], varies: false }
}

function decisionDrift([before, after]: HookPair): readonly Drift[] {
  if (before.decision === after.decision) return []
  const [recorded = '', now = ''] = [before, after].map(({ decision }) => (decision === 'allowed' ? 'none' : decision))
  return [{ call: `the ${nameOfHook(before)}`, line: null, recorded, now }]
}

function wordsDrift([before, after]: HookPair): readonly Drift[] {
  if (before.lines.length === 0 || after.lines.length === 0)
    return before.lines.length === after.lines.length ? [] : [newWords(after, before)]
  const difference = compareLines(before, after)
  return difference === null ? [] : [{ call: wordsOf(before), ...difference }]
}

/** What a hook tells now and told before, as drift. */
export function newWords(hook: RecordedHook, before: RecordedHook = silent(hook)): Drift {
  return { call: wordsOf(hook), line: null, recorded: shownLines(before.lines), now: shownLines(hook.lines) }
}

/** Such as `what the hook of session-start says`. */
export function wordsOf(hook: RecordedHook): string {
  return `what the ${nameOfHook(hook)} says`
}

function nameOfHook({ event, tool }: RecordedHook): string {
  return `hook of ${event}${tool === null ? '' : ` (${tool})`}`
}

function keyOf({ event, tool, decision }: RecordedHook): string {
  return JSON.stringify([event, tool, decision])
}

/** Marks the lines of hooks that a second run gave differently; `null` where a hook decided otherwise, or spoke in one run only. */
export function withUnstableWords(
  hooks: readonly RecordedHook[],
  again: readonly RecordedHook[],
): readonly RecordedHook[] | null {
  const pairs = pairHooks(hooks, again)
  const isSteady = pairs.every(
    ([first, second]) =>
      first.decision === second.decision && (first.lines.length === 0) === (second.lines.length === 0),
  )
  return isSteady ? pairs.map(([first, second]) => markUnstable(first, second)) : null
}
