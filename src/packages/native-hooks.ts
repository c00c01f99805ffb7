import { z } from 'zod'
import { documentAt, warningAt, type ReadDocument } from '../documents/document.ts'
import { nearestName } from '../documents/nearest-name.ts'
import { validate } from '../documents/validate.ts'
import { isJsonObject, type JsonObject } from '../json.ts'
import { NATIVE_EVENT_NAMES, findHookEvent } from './hook-events.ts'
import { findingsOf, hasError, joinLoaded, type Loaded } from './finding.ts'
import { invalidMatcher, matcherOf } from './hook-matcher.ts'
import type { Hook, HookGroup, PackageFinding } from './package.ts'

type Path = readonly (string | number)[]

interface NativeGroup {
  readonly matcher?: string | undefined
  readonly hooks: readonly NativeHook[]
}

// Claude Code ignores fields that it does not know, and newer versions have more kinds of hooks.
const hookSchema = z
  .looseObject({
    type: z.string(),
    command: z.string().optional(),
    args: z.array(z.string()).optional(),
    prompt: z.string().optional(),
    timeout: z.number().positive().optional(),
  })
  .check(({ value, issues }) => {
    const field = TEXT_FIELDS[value.type]
    if (field === undefined || (value[field] ?? '').trim() !== '') return
    issues.push({ code: 'custom', input: value, path: [field], message: `a hook of type ${value.type} needs it` })
  })
type NativeHook = z.infer<typeof hookSchema>

const TEXT_FIELDS: Readonly<Record<string, 'command' | 'prompt' | undefined>> = { command: 'command', prompt: 'prompt' }

const groupsSchema: z.ZodType<readonly NativeGroup[]> = z.array(
  z.looseObject({ matcher: z.string().optional(), hooks: z.array(hookSchema) }),
)

/**
 * Reads hooks in the spelling of Claude Code from the object at a path of a document, event by event, so that a mistake
 * costs only the event it is in.
 */
export function loadNativeHooks(document: ReadDocument, path: Path): Loaded<HookGroup> {
  const written = documentAt(document, path)
  if (!isJsonObject(written.value)) {
    const { issues } = validate(written, z.record(z.string(), z.unknown()))
    return { parts: [], findings: findingsOf(null, issues) }
  }
  return joinLoaded(Object.keys(written.value).map((event) => loadEvent(event, document, path)))
}

/** Joins the hooks of several files: an index counts through all of an event's groups. */
export function joinHooks(loaded: readonly Loaded<HookGroup>[]): Loaded<HookGroup> {
  const { parts, findings } = joinLoaded(loaded)
  const counts = new Map<string, number>()
  const numbered = parts.map((group) => {
    const index = counts.get(group.event) ?? 0
    counts.set(group.event, index + 1)
    return { ...group, index }
  })
  return { parts: numbered, findings }
}

function loadEvent(written: string, document: ReadDocument, base: Path): Loaded<HookGroup> {
  const path = [...base, written]
  const event = findHookEvent(written)
  if (event?.native !== written) return { parts: [], findings: [unknownEvent(written, document, path)] }

  const part = { kind: 'hook', name: event.name } as const
  const groups = documentAt(document, path)
  const { value, issues } = validate(groups, groupsSchema)
  const wrong = (value ?? []).flatMap((group, index) => invalidMatcher(group.matcher, [index, 'matcher'], groups))
  const findings = findingsOf(part, [...issues, ...wrong])
  if (value === null || hasError(findings)) return { parts: [], findings }
  const { file } = document
  return {
    parts: value.map(({ matcher, hooks }, index) => ({
      event: event.name,
      index,
      matcher: matcherOf(matcher),
      hooks: hooks.map(hookOf),
      native: { file, path: [...path, index] },
    })),
    findings,
  }
}

function hookOf(written: NativeHook): Hook {
  const { type, command = '', args, prompt = '', timeout, ...rest } = written
  const fields = rest as JsonObject
  const more = Object.keys(fields).length === 0 ? {} : { fields }
  if (type === 'command') {
    const line = args === undefined ? command : [command, ...args].map(quoteWord).join(' ')
    return { type, command: line, timeout: timeout ?? COMMAND_SECONDS, ...more }
  }
  if (type === 'prompt') return { type, prompt, timeout: timeout ?? PROMPT_SECONDS, ...more }
  return { type: 'native', kind: type, timeout: timeout ?? COMMAND_SECONDS, fields: written as unknown as JsonObject }
}

/** Claude Code's own defaults. */
const COMMAND_SECONDS = 600
const PROMPT_SECONDS = 30

// A command with `args` is started without a shell: every word is taken as it is, and only names of variables are filled in.
function quoteWord(word: string): string {
  return `"${word.replaceAll(/[\\"`]|\$(?!\{\w+\})/g, String.raw`\$&`)}"`
}

function unknownEvent(written: string, document: ReadDocument, path: Path): PackageFinding {
  const meant = findHookEvent(written)?.native ?? nearestName(written, NATIVE_EVENT_NAMES)
  const hint = meant === null ? 'its hooks are ignored' : `did you mean ${JSON.stringify(meant)}?`
  return {
    ...warningAt(document, path, 'unknown-event', `not a hook event of Claude Code; ${hint}`),
    ...document.keyPositionOf(path),
    severity: meant === null ? 'warning' : 'error',
    part: { kind: 'hook', name: findHookEvent(meant ?? written)?.name ?? written },
  }
}
