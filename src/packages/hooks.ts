import { z } from 'zod'
import { documentAt, errorAt, warningAt, type Issue, type ReadDocument } from '../lib/documents/document.ts'
import { nearestName } from '../lib/documents/nearest-name.ts'
import { readDocument } from '../lib/documents/read-document.ts'
import type { TrackedFs } from '../lib/documents/read-text.ts'
import { validate } from '../lib/documents/validate.ts'
import { messageOf } from '../lib/errors.ts'
import { isJsonObject, type JsonObject } from '../lib/json.ts'
import {
  findingsOf,
  hasError,
  joinLoaded,
  type Loaded,
  type Hook,
  type HookGroup,
  type PackageFinding,
} from './package.ts'
import { NATIVE_EVENT_NAMES, UNIVERSAL_EVENT_NAMES, findHookEvent, universalNameOf } from './hook-events.ts'

const DEFAULT_TIMEOUT = 30

const timeout = z.number().min(1).max(300).optional()
const text = z.string().refine((value) => value.trim() !== '', 'must not be empty')

const hookSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('command'), command: text, timeout }),
  z.strictObject({ type: z.literal('prompt'), prompt: text, timeout }),
])

const groupSchema = z.strictObject({ matcher: z.string().optional(), hooks: z.array(hookSchema).min(1) })

const fileSchema = z.strictObject({
  version: z.literal(1),
  hooks: z.record(z.string(), z.unknown()),
})

/** Reads hooks.json event by event, so that a mistake costs only the event it is in. */
export async function loadHooks(file: string, fs: TrackedFs): Promise<Loaded<HookGroup>> {
  if (fs.look(file) === null) return { parts: [], findings: [] }
  const { text: source, issue } = await fs.readText(file)
  if (issue !== null) return { parts: [], findings: findingsOf(null, [issue]) }

  const document = readDocument(source, { kind: 'json', file, what: 'hooks' })
  if (isNativeHooks(document.value)) return loadNativeHooks(document, ['hooks'])
  const checked = validate(document, fileSchema)
  const findings = findingsOf(null, checked.issues)
  if (checked.value === null) return { parts: [], findings }

  const events = Object.keys(checked.value.hooks)
  return joinLoaded([{ parts: [], findings }, ...events.map((event) => loadEvent(event, document))])
}

// A file without `version` that spells an event as Claude Code does is not the package format's.
function isNativeHooks(value: unknown): boolean {
  if (!isJsonObject(value) || 'version' in value || !isJsonObject(value['hooks'])) return false
  return !Object.keys(value['hooks']).some((event) => UNIVERSAL_EVENT_NAMES.includes(event))
}

function loadEvent(event: string, document: ReadDocument): Loaded<HookGroup> {
  const path = ['hooks', event]
  const part = { kind: 'hook', name: event } as const
  if (!UNIVERSAL_EVENT_NAMES.includes(event)) return { parts: [], findings: [unknownEvent(event, document)] }

  const groups = documentAt(document, path)
  const { value, issues } = validate(groups, z.array(groupSchema))
  const wrong = (value ?? []).flatMap((group, index) => invalidMatcher(group.matcher, [index, 'matcher'], groups))
  const findings = findingsOf(part, [...issues, ...wrong])
  if (value === null || hasError(findings)) return { parts: [], findings }
  return { parts: value.map((group, index) => complete(group, event, index)), findings }
}

function unknownEvent(event: string, document: ReadDocument): PackageFinding {
  const meant = universalNameOf(event) ?? nearestName(event, UNIVERSAL_EVENT_NAMES)
  const advice = meant === null ? 'its hooks are ignored' : `did you mean ${JSON.stringify(meant)}?`
  const position = document.keyPositionOf(['hooks', event])
  const remark: Issue = {
    ...warningAt(document, ['hooks', event], 'unknown-event', `not a hook event; ${advice}`),
    ...position,
    severity: meant === null ? 'warning' : 'error',
  }
  return { ...remark, part: { kind: 'hook', name: meant ?? event } }
}

function complete({ matcher, hooks }: z.infer<typeof groupSchema>, event: string, index: number): HookGroup {
  return {
    event,
    index,
    matcher: matcherOf(matcher),
    hooks: hooks.map((hook): Hook => ({ ...hook, timeout: hook.timeout ?? DEFAULT_TIMEOUT })),
  }
}

/** The matcher of a group of hooks; `null` matches everything. */
function matcherOf(written: string | undefined): string | null {
  return written === undefined || matchesAll(written) ? null : written
}

/** The error for a matcher that is no regular expression. */
function invalidMatcher(
  matcher: string | undefined,
  path: readonly (string | number)[],
  document: ReadDocument,
): readonly Issue[] {
  if (matcher === undefined || matchesAll(matcher)) return []
  try {
    RegExp(matcher)
    return []
  } catch (error) {
    const reason = messageOf(error)
    return [errorAt(document, path, 'invalid-value', `not a regular expression: ${reason}`)]
  }
}

// Engines read these as "every tool", though `*` alone is no regular expression.
function matchesAll(matcher: string): boolean {
  return matcher === '' || matcher === '*'
}

type Path = readonly (string | number)[]

interface NativeGroup {
  readonly matcher?: string | undefined
  readonly hooks: readonly NativeHook[]
}

// Claude Code ignores fields that it does not know, and newer versions have more kinds of hooks.
const nativeHookSchema = z
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
type NativeHook = z.infer<typeof nativeHookSchema>

const TEXT_FIELDS: Readonly<Record<string, 'command' | 'prompt' | undefined>> = { command: 'command', prompt: 'prompt' }

const groupsSchema: z.ZodType<readonly NativeGroup[]> = z.array(
  z.looseObject({ matcher: z.string().optional(), hooks: z.array(nativeHookSchema) }),
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
  return joinLoaded(Object.keys(written.value).map((event) => loadNativeEvent(event, document, path)))
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

function loadNativeEvent(written: string, document: ReadDocument, base: Path): Loaded<HookGroup> {
  const path = [...base, written]
  const event = findHookEvent(written)
  if (event?.native !== written) return { parts: [], findings: [unknownNativeEvent(written, document, path)] }

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
  const { type, command = '', args, prompt = '', timeout: seconds, ...rest } = written
  const fields = rest as JsonObject
  const more = Object.keys(fields).length === 0 ? {} : { fields }
  if (type === 'command') {
    const line = args === undefined ? command : [command, ...args].map(quoteWord).join(' ')
    return { type, command: line, timeout: seconds ?? COMMAND_SECONDS, ...more }
  }
  if (type === 'prompt') return { type, prompt, timeout: seconds ?? PROMPT_SECONDS, ...more }
  return { type: 'native', kind: type, timeout: seconds ?? COMMAND_SECONDS, fields: written as unknown as JsonObject }
}

/** Claude Code's own defaults. */
const COMMAND_SECONDS = 600
const PROMPT_SECONDS = 30

// A command with `args` is started without a shell: every word is taken as it is, and only names of variables are filled in.
function quoteWord(word: string): string {
  return `"${word.replaceAll(/[\\"`]|\$(?!\{\w+\})/g, String.raw`\$&`)}"`
}

function unknownNativeEvent(written: string, document: ReadDocument, path: Path): PackageFinding {
  const meant = findHookEvent(written)?.native ?? nearestName(written, NATIVE_EVENT_NAMES)
  const hint = meant === null ? 'its hooks are ignored' : `did you mean ${JSON.stringify(meant)}?`
  return {
    ...warningAt(document, path, 'unknown-event', `not a hook event of Claude Code; ${hint}`),
    ...document.keyPositionOf(path),
    severity: meant === null ? 'warning' : 'error',
    part: { kind: 'hook', name: findHookEvent(meant ?? written)?.name ?? written },
  }
}
