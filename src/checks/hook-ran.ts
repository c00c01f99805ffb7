import { findHookEvent, suggestEvent } from '../packages/hook-events.ts'
import { hookDecisions } from '../transcript/select.ts'
import type { HookWords } from '../transcript/transcript.ts'
import type { z } from 'zod'
import { countOf, timesOf, type CheckKind, type SeenRun, type TextFields } from './check.ts'
import type { Zod } from './schemas.ts'
import { firstTools, type HookEvent } from './hook-events.ts'

/** Which runs of hooks count. */
export interface HookFilter {
  /** Universal event name; `null` or absent for every event. */
  readonly event?: string | null | undefined
  /** The matcher of the group, as it is written; absent for any. */
  readonly matcher?: string | undefined
}

/** A hook that has to run, or must not: without an event that of the case's target, else any. */
export interface HookRanFields extends HookFilter {
  readonly value: boolean
  /** How often; absent for at least once. */
  readonly times?: number | undefined
  /** Nobody wrote it: a case about a hook proves nothing unless the hook ran. */
  readonly implied?: true
}

/** Whether hooks ran, by what each of them left and the gateway or the engine confirmed. */
export const hookRan: CheckKind<HookRanFields> = {
  schema: (zod) => {
    const named = zod
      .strictObject({
        event: eventSchema(zod).optional().describe('Such as PreToolUse. Default: that of the target, else any.'),
        matcher: zod.string().min(1).optional().describe('The matcher of its group, as it is written.'),
        times: zod.int().positive().optional().describe('How often it runs. Default: at least once.'),
      })
      .transform((filter): HookRanFields => ({ value: true, ...filter }))
    const plain = zod.boolean().transform((value): HookRanFields => ({ value }))
    return zod
      .union([plain, named])
      .describe('Whether a hook must have run: that of the target, or the one that is named.')
  },
  run(fields, { run, hook }) {
    const filter = { ...fields, event: fields.event ?? hook }
    const { value, times } = fields
    const ran = hooksThatRan(run, filter)
    const isRight = value ? (times === undefined ? ran.length > 0 : ran.length === times) : ran.length === 0
    if (isRight) return { outcome: 'passed' }
    const expected = `${describeHook(filter)} ${value ? `to run${timesOf(times)}` : 'not to run'}`
    const actual = ran.length === 0 ? describeOthers(filter, run) : `it ran ${countOf(ran.length)}`
    return { outcome: 'failed', message: `expected ${expected}, but ${actual}`, expected, actual }
  },
  describe({ value, times, ...filter }) {
    const hook = describeHook(filter).replace(/^a/, 'A')
    if (!value) return `${hook} does not run.`
    return `${hook} runs${timesOf(times)}.`
  },
  label: ({ value, event, matcher, times }) =>
    [value ? '' : 'not', event ?? '', matcher ?? '', times === undefined ? '' : `x${times}`]
      .filter((part) => part !== '')
      .join(' ') || 'the hook',
  needsOutput: true,
}

/** Whether the model was given a text by a hook. What only the hook's own record says is no evidence. */
export const hookOutput: CheckKind<TextFields> = {
  schema: (zod) => {
    const text = zod.string().min(1, 'must not be empty: everything contains it')
    return zod
      .strictObject({ contains: zod.union([text, zod.array(text).min(1)]) })
      .transform(({ contains }) => [contains].flat().map((value) => ({ value })))
      .describe('Texts that a hook must have told the model.')
  },
  run({ value }, { run }) {
    const told = wordsOfHooks(run)
    if (told.some(({ text, reachedModel }) => reachedModel && text.includes(value))) return { outcome: 'passed' }
    const unseen = told.find(({ text }) => text.includes(value))
    const silent = hookDecisions(run).find(isUnheard)
    if (unseen === undefined && silent !== undefined) {
      const message = `a mod handled ${silent.event}; of a mod only refusals and added context are seen, and a text that it puts into a prompt or a result is not. Check what the agent makes of it, such as with contains`
      return { outcome: 'errored', code: 'hook-failed-open', message, expected: value }
    }
    const why = unseen === undefined ? 'no hook said it' : 'the model never got what the hook said'
    return {
      outcome: 'failed',
      message: `expected a hook to tell the model ${JSON.stringify(value)}, but ${why}`,
      expected: value,
      actual: told.map(describeWords).join('\n') || '(nothing)',
    }
  },
  describe: ({ value }) => `A hook tells the model ${JSON.stringify(value)}.`,
  needsOutput: true,
}

// A mod leaves no exit code, and a hook that nobody waits for tells the model nothing.
function isUnheard({ decision, exitCode, async }: HookEvent): boolean {
  return decision === 'allowed' && exitCode === null && async !== true
}

/** The runs of hooks that a filter names. */
export function hooksThatRan(run: SeenRun['run'], { event, matcher }: HookFilter): readonly HookEvent[] {
  return hookDecisions(run, event ?? undefined).filter(
    (hook) => matcher === undefined || (hook.matcher ?? '') === matcher,
  )
}

/** Everything that hooks said in a run, in order. */
export function wordsOfHooks(run: SeenRun['run']): readonly HookWords[] {
  return hookDecisions(run).flatMap(({ told = [] }) => told)
}

/** Words of a hook, with why they prove nothing where they do not. */
export function describeWords({ text, what, reachedModel }: HookWords): string {
  if (reachedModel) return text
  return `${text} (${what === 'message' ? 'a message to the user, which no model gets' : 'the model did not get it'})`
}

/** Such as `a hook of pre-tool-use with the matcher "Bash"`. */
export function describeHook({ event, matcher }: HookFilter): string {
  const name = event === null || event === undefined ? 'a hook' : `a hook of ${event}`
  return matcher === undefined ? name : `${name} with the matcher ${JSON.stringify(matcher)}`
}

/** The universal name of an event in either spelling, or why there is none. */
export function readEvent(name: string): { readonly event: string } | { readonly problem: string } {
  const event = findHookEvent(name)
  if (event !== null) return { event: event.name }
  return { problem: `${JSON.stringify(name)} is not a hook event.${suggestEvent(name)}` }
}

function eventSchema(zod: Zod): z.ZodString {
  return zod
    .string()
    .check(({ value, issues }) => {
      const read = readEvent(value)
      if ('problem' in read) issues.push({ code: 'custom', input: value, message: read.problem })
    })
    .overwrite((value) => findHookEvent(value)?.name ?? value)
}

function describeOthers({ event }: HookFilter, run: SeenRun['run']): string {
  const others = hookDecisions(run).map((hook) =>
    hook.matcher == null ? hook.event : `${hook.event} ${JSON.stringify(hook.matcher)}`,
  )
  const ran = others.length === 0 ? 'no hook ran' : `only hooks of ${[...new Set(others)].slice(0, 3).join(', ')} ran`
  if (event?.endsWith('-tool-use') !== true) return `${ran}; look at its event and its matcher`
  return `${ran} (the agent called ${firstTools(run) || 'no tool'})`
}
