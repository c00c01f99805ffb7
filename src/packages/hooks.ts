import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import {
  documentAt,
  errorAt,
  errorIn,
  valueAt,
  errorAtKey,
  type Issue,
  type ReadDocument,
} from '../lib/documents/document.ts'
import { nearestName } from '../lib/documents/nearest-name.ts'
import type { TrackedFs } from '../lib/documents/read-text.ts'
import { validate } from '../lib/documents/validate.ts'
import { isJsonObject, objectOf, type JsonObject } from '../lib/json.ts'
import { patternProblem } from '../lib/patterns.ts'
import {
  findingsOf,
  hasError,
  joinLoaded,
  noParts,
  type Loaded,
  type Hook,
  type HookGroup,
  type PackageFinding,
} from './package.ts'
import { readData } from './read-files.ts'
import { MOD_EVENT, NATIVE_EVENT_NAMES, UNIVERSAL_EVENT_NAMES, findHookEvent } from './hook-events.ts'

/** A way in which hooks are written. */
interface Notation {
  readonly events: readonly string[]
  readonly groups: z.ZodType<readonly WrittenGroup[]>
  /** Whether it is Claude Code's own. */
  readonly isNative: boolean
}

interface WrittenGroup {
  readonly matcher?: string | undefined
  readonly hooks: readonly WrittenHook[]
}

interface WrittenHook {
  readonly type: string
  readonly command?: string | undefined
  readonly args?: readonly string[] | undefined
  readonly prompt?: string | undefined
  /** Seconds. */
  readonly timeout?: number | undefined
}

const timeout = z.number().min(1).max(300).optional()
const text = z.string().refine((value) => value.trim() !== '', 'must not be empty')

const hookSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('command'), command: text, timeout }),
  z.strictObject({ type: z.literal('prompt'), prompt: text, timeout }),
])

const OWN: Notation = {
  events: UNIVERSAL_EVENT_NAMES,
  groups: z.array(z.strictObject({ matcher: z.string().optional(), hooks: z.array(hookSchema).min(1) })),
  isNative: false,
}

const fileSchema = z.strictObject({
  version: z.literal(1),
  hooks: z.record(z.string(), z.unknown()),
})

/** Reads hooks.json event by event, so that a mistake costs only the event it is in. */
export async function loadHooks(file: string, fs: TrackedFs): Promise<Loaded<HookGroup>> {
  const { document, issues } = await readData(file, 'hooks', fs)
  if (document === null) return noParts(null, issues)
  if (isNativeHooks(document.value)) {
    const hasHooks = valueAt(document.value, 'hooks') !== undefined
    return joinLoaded([...(hasHooks ? [loadNativeHooks(document, ['hooks'])] : []), loadMod(document, fs)])
  }
  const bare = isJsonObject(document.value) && !('hooks' in document.value) ? Object.keys(document.value) : []
  const outside = bare.find((key) => findHookEvent(key) !== null)
  if (outside !== undefined) return noParts(null, [outsideHooks(outside, document)])
  const checked = validate(document, fileSchema)
  const found = noParts(null, checked.issues)
  return checked.value === null ? found : joinLoaded([found, loadEvents(document, ['hooks'], OWN)])
}

/**
 * Reads hooks in the spelling of Claude Code from the object at a path of a document, event by event, so that a mistake
 * costs only the event it is in.
 */
export function loadNativeHooks(document: ReadDocument, path: Path): Loaded<HookGroup> {
  const { value, issues } = validate(documentAt(document, path), z.record(z.string(), z.unknown()))
  return value === null ? noParts(null, issues) : loadEvents(document, path, NATIVE)
}

// A file without `version` that has a mod or spells an event as Claude Code does is not the package format's.
function isNativeHooks(value: unknown): boolean {
  if (!isJsonObject(value) || 'version' in value) return false
  if ('modules' in value) return true
  if (!isJsonObject(value['hooks'])) return false
  return !Object.keys(value['hooks']).some((event) => UNIVERSAL_EVENT_NAMES.includes(event))
}

function outsideHooks(event: string, document: ReadDocument): Issue {
  const version = UNIVERSAL_EVENT_NAMES.includes(event) ? '"version": 1, ' : ''
  const message = `events are read from the object "hooks" only; write { ${version}"hooks": { ${JSON.stringify(event)}: ... } }`
  return errorAtKey(document, [event], 'missing-field', message)
}

type Path = readonly (string | number)[]

function loadEvents(document: ReadDocument, path: Path, notation: Notation): Loaded<HookGroup> {
  const events = Object.keys(objectOf(documentAt(document, path).value))
  return joinLoaded(events.map((event) => loadEvent(documentAt(document, [...path, event]), event, notation)))
}

function loadEvent(written: ReadDocument, name: string, notation: Notation): Loaded<HookGroup> {
  const event = findHookEvent(name)
  if (event === null || !notation.events.includes(name))
    return { parts: [], findings: [unknownEvent(written, name, notation)] }

  const part = { kind: 'hook', name: event.name } as const
  const { value, issues } = validate(written, notation.groups)
  const wrong = (value ?? []).flatMap(({ matcher }, index) => {
    const problem = matcher === undefined || matchesAll(matcher) ? null : patternProblem(matcher)
    if (problem === null) return []
    return [errorAt(written, [index, 'matcher'], 'invalid-value', `not a regular expression: ${problem}`)]
  })
  const findings = findingsOf(part, [...issues, ...wrong])
  if (value === null || hasError(findings)) return { parts: [], findings }
  const { file, path } = written
  const groups = value.map(({ matcher, hooks }, index) => ({
    event: event.name,
    index,
    matcher: matcher === undefined || matchesAll(matcher) ? null : matcher,
    hooks: hooks.map((hook) => hookOf(hook, notation)),
    ...(notation.isNative ? { native: { file, path: [...(path as Path), index] } } : {}),
  }))
  return { parts: groups, findings }
}

function unknownEvent(written: ReadDocument, name: string, { events, isNative }: Notation): PackageFinding {
  const other = findHookEvent(name)
  const meant = events.find((one) => one === other?.name || one === other?.native) ?? nearestName(name, events)
  const of = isNative ? ' of Claude Code' : ''
  const advice = meant === null ? 'its hooks are ignored' : `did you mean ${JSON.stringify(meant)}?`
  return {
    ...errorAtKey(written, [], 'unknown-event', `not a hook event${of}; ${advice}`),
    severity: meant === null ? 'warning' : 'error',
    part: { kind: 'hook', name: findHookEvent(meant ?? name)?.name ?? name },
  }
}

// Engines read these as "every tool", though `*` alone is no regular expression.
function matchesAll(matcher: string): boolean {
  return matcher === '' || matcher === '*'
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

const TEXT_FIELDS: Readonly<Record<string, 'command' | 'prompt' | undefined>> = { command: 'command', prompt: 'prompt' }

const NATIVE: Notation = {
  events: NATIVE_EVENT_NAMES,
  groups: z.array(z.looseObject({ matcher: z.string().optional(), hooks: z.array(nativeHookSchema) })),
  isNative: true,
}

function hookOf(written: WrittenHook, { isNative }: Notation): Hook {
  const { type, command = '', args, prompt = '', timeout: seconds, ...rest } = written
  const fields = Object.keys(rest).length === 0 ? {} : { fields: rest as JsonObject }
  const limit = seconds ?? (isNative ? (type === 'prompt' ? PROMPT_SECONDS : COMMAND_SECONDS) : OWN_SECONDS)
  if (type === 'prompt') return { type, prompt, timeout: limit, ...fields }
  if (type !== 'command')
    return { type: 'native', kind: type, timeout: limit, fields: written as unknown as JsonObject }
  const line = args === undefined ? command : [command, ...args].map(quoteWord).join(' ')
  return { type, command: line, timeout: limit, ...fields }
}

/** Claude Code's own defaults, and that of the package format. */
const COMMAND_SECONDS = 600
const PROMPT_SECONDS = 30
const OWN_SECONDS = 30

// A command with `args` is started without a shell: every word is taken as it is, and only names of variables are filled in.
function quoteWord(word: string): string {
  return `"${word.replaceAll(/[\\"`]|\$(?!\{\w+\})/g, String.raw`\$&`)}"`
}

/** The mod of a hooks file, as a group of its own: the one JavaScript module that Claude Code loads into itself. */
function loadMod(document: ReadDocument, fs: TrackedFs): Loaded<HookGroup> {
  const written = documentAt(document, ['modules'])
  if (written.value === undefined) return noParts(null, [])
  const { value, issues } = validate(written, modulesSchema)
  const [module] = value ?? []
  if (module === undefined) return noParts(null, issues)
  const file = resolve(dirname(document.file), module)
  const missing =
    fs.look(file)?.isFile() === true ? [] : [errorAt(written, [0], 'file-missing', `${module} does not exist`)]
  const hook = { type: 'native', kind: 'module', timeout: MOD_SECONDS, fields: { module: file } } as const
  const native = { file: document.file, path: ['modules'] }
  return {
    parts: [{ event: MOD_EVENT, index: 0, matcher: null, hooks: [hook], native }],
    findings: findingsOf(null, missing),
  }
}

const ONE_MOD = 'Claude Code loads one module per plugin, and none where there are more; import the others from it'
const modulesSchema = z.array(z.string().min(1)).max(1, ONE_MOD)

// Claude Code skips what takes longer.
const MOD_SECONDS = 10

/** Joins the hooks of several files: an index counts through all of an event's groups. */
export function joinHooks(loaded: readonly Loaded<HookGroup>[]): Loaded<HookGroup> {
  const { parts, findings: found } = joinLoaded(loaded)
  const [, second] = parts.filter(({ event }) => event === MOD_EVENT)
  const findings =
    second?.native === undefined
      ? found
      : [...found, ...findingsOf(null, [errorIn(second.native.file, 'duplicate-mod', ONE_MOD)])]
  const counts = new Map<string, number>()
  const numbered = parts.map((group) => {
    const index = counts.get(group.event) ?? 0
    counts.set(group.event, index + 1)
    return { ...group, index }
  })
  return { parts: numbered, findings }
}
