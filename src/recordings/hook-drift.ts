import { compareTexts } from '../texts.ts'
import { compareLines, shorten, type Drift } from './drift.ts'
import { recordLines } from './result-lines.ts'
import { markUnstable, markVolatile } from './unstable-lines.ts'
import type { HookWords } from '../transcript/transcript.ts'
import type { AgentRun } from '../transcript/agent-run.ts'
import type { RecordedHook, RecordedWords } from './recording.ts'
import type { ResultForm } from './result-form.ts'

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

type Told = readonly RecordedWords[]

/**
 * What the hooks of a run told, in a fixed order. A block of a call is in the call's result, and what no model gets is
 * kept only where it is for the user or changes a call. `plain` replaces what only this session has.
 */
export function recordWords(
  { transcript }: Pick<AgentRun, 'transcript'>,
  plain: (text: string) => string,
  form: ResultForm,
  volatile: readonly string[] = [],
): Told {
  const words = transcript.flatMap((seen) => {
    if (seen.kind !== 'hook') return []
    const { event, tool, told = [] } = seen
    const kept = told.filter((one) => isKept(one, event))
    return kept.map(({ what, text }) => ({ event, tool, what, ...recordLines(plain(text), null, form) }))
  })
  return sorted(words.map((one) => markVolatile(one, volatile)))
}

// Context that never arrived, such as that of a session that had ended, was no part of what the model answered.
function isKept({ what, reachedModel }: HookWords, event: string): boolean {
  if (what === 'reason') return reachedModel && event !== 'pre-tool-use'
  return reachedModel || what !== 'context'
}

function sorted(words: Told): Told {
  return words.toSorted((a, b) => compareTexts(groupOf(a), groupOf(b)))
}

/** How the words of hooks differ from the recorded ones, and those that the model is given now and was not. */
export function compareWords(
  recorded: Told | null,
  now: Told,
): { readonly drift: readonly Drift[]; readonly added: Told } {
  if (recorded === null) return { drift: [], added: [] }
  const { pairs, gone, added } = pairWords(recorded, now)
  return {
    drift: [
      ...pairs.flatMap(([before, after]) => {
        const difference = compareLines(before, after)
        return difference === null ? [] : [{ call: sourceOf(before), ...difference }]
      }),
      ...gone.map((words) => wordsDrift(words, shorten(words.lines), NOTHING)),
      ...added
        .filter(({ what }) => !FOR_MODEL.has(what))
        .map((words) => wordsDrift(words, NOTHING, shorten(words.lines))),
    ],
    added: added.filter(({ what }) => FOR_MODEL.has(what)),
  }
}

/** Words that a model was given and is not any more, or the other way round, as drift. */
export function wordsDrift(words: RecordedWords, recorded: string, now: string): Drift {
  return { call: sourceOf(words), line: null, recorded, now }
}

/** The words with the lines marked that a second run gave differently; `null` where hooks speak as they like. */
export function withUnstableWords(words: Told, again: Told): Told | null {
  const { pairs, gone, added } = pairWords(words, again)
  if (gone.length > 0 || added.length > 0) return null
  return sorted(pairs.map(([first, second]) => markUnstable(first, second)))
}

/** Such as `what the hook of session-start tells the model`. */
export function sourceOf({ event, tool, what }: RecordedWords): string {
  return `what the hook of ${event}${tool === null ? '' : ` (${tool})`} ${DOES[what]}`
}

const DOES: Readonly<Record<RecordedWords['what'], string>> = {
  context: 'tells the model',
  input: 'makes of the input',
  message: 'tells the user',
  output: 'makes of the output',
  reason: 'tells the model',
}
const FOR_MODEL: ReadonlySet<RecordedWords['what']> = new Set(['context', 'reason'])
export const NOTHING = 'nothing'

interface PairedWords {
  readonly pairs: readonly (readonly [RecordedWords, RecordedWords])[]
  readonly gone: Told
  readonly added: Told
}

// Hooks of parallel calls speak in any order, so equal words are found first.
function pairWords(recorded: Told, now: Told): PairedWords {
  const left = [...now]
  const take = (isIt: (words: RecordedWords) => boolean): RecordedWords | undefined => {
    const index = left.findIndex(isIt)
    return index < 0 ? undefined : left.splice(index, 1)[0]
  }
  const pairs: (readonly [RecordedWords, RecordedWords])[] = []
  const others = recorded.filter((words) => {
    const same = take((one) => groupOf(one) === groupOf(words) && compareLines(words, one) === null)
    if (same !== undefined) pairs.push([words, same])
    return same === undefined
  })
  const gone = others.filter((words) => {
    const other = take((one) => groupOf(one) === groupOf(words))
    if (other !== undefined) pairs.push([words, other])
    return other === undefined
  })
  return { pairs, gone, added: left }
}

function groupOf({ event, tool, what }: RecordedWords): string {
  return JSON.stringify([event, tool, what])
}
