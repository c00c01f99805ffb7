import { z } from 'zod'
import { documentAt, warningAt, type ReadDocument } from '../documents/document.ts'
import { readDocument } from '../documents/read-document.ts'
import { validate } from '../documents/validate.ts'
import { nearestName } from '../documents/nearest-name.ts'
import { isJsonObject } from '../json.ts'
import { UNIVERSAL_EVENT_NAMES, universalNameOf } from './hook-events.ts'
import { loadNativeHooks } from './native-hooks.ts'
import { invalidMatcher, matcherOf } from './hook-matcher.ts'
import type { TrackedFs } from '../documents/tracked-fs.ts'
import type { Issue } from '../documents/issue.ts'
import type { Hook, HookGroup, PackageFinding } from './package.ts'
import { findingsOf, hasError, joinLoaded, type Loaded } from './finding.ts'

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
