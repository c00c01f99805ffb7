import {
  documentAt,
  noEffectAt,
  renamed,
  valueAt,
  type FieldPath,
  type ReadDocument,
} from '../../../documents/document.ts'
import { PROMPT_FIELDS } from './fields/skill-fields.ts'
import type { Issue } from '../../../documents/issue.ts'

/** Fields that list the messages of a conversation. */
export const TURN_FIELDS = [
  'query_flow',
  'turns',
  'conversation',
  'conversation_turns',
  'user_turns',
  'dialogue',
  'messages',
  'prompts',
] as const

/** Fields that hold what the user says next. */
export const FOLLOW_UP_FIELDS = [
  'followup',
  'followups',
  'follow_up',
  'follow_ups',
  'followup_prompt',
  'follow_up_prompt',
  'follow_up_prompts',
  'follow_up_message',
  'follow_up_messages',
] as const

/** The user's messages of an entry, where it has several or keeps the one in a list. */
export interface Turns {
  /** The entry with its messages as its prompt. */
  readonly document: ReadDocument
  /** Fields that hold messages, which are read. */
  readonly fields: ReadonlySet<string>
  /** The objects that hold a message and what is expected after it. */
  readonly held: readonly ReadDocument[]
  /** Why such an entry is not run; `null` where there is but one message. */
  readonly reason: string | null
  readonly issues: readonly Issue[]
}

interface Turn {
  readonly text: string
  readonly path: FieldPath
}

/** Reads the messages of an entry; `null` where it has a prompt and nothing else. A run sends one prompt. */
export function readTurns(document: ReadDocument): Turns | null {
  const { value } = document
  const prompt = PROMPT_FIELDS.find((field) => typeof valueAt(value, field) === 'string')
  const [main, ...others] = fieldsIn(value, TURN_FIELDS)
  const used = [...(main === undefined ? [] : [main]), ...fieldsIn(value, FOLLOW_UP_FIELDS)]
  if (used.length === 0) return null
  const listed = used.flatMap((field) => turnsIn(valueAt(value, field), [field]))
  const asked = prompt === undefined ? undefined : String(valueAt(value, prompt))
  // A conversation may begin with the prompt.
  const turns =
    prompt === undefined || asked === undefined || listed[0]?.text === asked
      ? listed
      : [{ text: asked, path: [prompt] }, ...listed]
  const [opening] = turns
  if (opening === undefined) return null
  const unused = others.map((name) => noEffectAt(document, [name], `has no effect, because there is "${main}"`))
  const text =
    turns.length === 1 ? opening.text : turns.map((turn, index) => `Turn ${index + 1}: ${turn.text}`).join('\n\n')
  const reason = turns.length === 1 ? null : `it has ${turns.length} turns, and a run sends one prompt`
  const field = prompt ?? PROMPT_FIELDS[0]
  const own = { ...(value as object), [field]: text }
  return {
    document: renamed(document, own, new Map([[field, prompt === undefined ? opening.path : [prompt]]])),
    fields: new Set([...used, ...others]),
    held: used.flatMap((name) => heldIn(documentAt(document, [name]))),
    reason,
    issues: [
      ...unused,
      ...(reason === null ? [] : used.map((name) => noEffectAt(document, [name], `is not run: ${reason}`))),
    ],
  }
}

/** Whether an entry asks by a list of messages. */
export function hasTurns(value: unknown): boolean {
  return fieldsIn(value, TURN_FIELDS).length > 0
}

function fieldsIn(value: unknown, names: readonly string[]): readonly string[] {
  return names.filter((name) => {
    const own = valueAt(value, name)
    return own !== undefined && turnsIn(own, [name]).length > 0
  })
}

function turnsIn(value: unknown, path: FieldPath): readonly Turn[] {
  if (typeof value === 'string') return value.trim() === '' ? [] : [{ text: value, path }]
  if (!Array.isArray(value)) return turnOf(value, path)
  return (value as readonly unknown[]).flatMap((one, index) =>
    typeof one === 'string' ? turnsIn(one, [...path, index]) : turnOf(one, [...path, index]),
  )
}

// What an assistant answers in a script is no message of the user.
function turnOf(value: unknown, path: FieldPath): readonly Turn[] {
  const whose = valueAt(value, 'role') ?? valueAt(value, 'speaker') ?? 'user'
  if (typeof whose !== 'string' || !['human', 'user'].includes(whose.toLowerCase())) return []
  const field = TEXTS.find((name) => typeof valueAt(value, name) === 'string')
  return field === undefined ? [] : [{ text: String(valueAt(value, field)), path: [...path, field] }]
}

function heldIn(document: ReadDocument): readonly ReadDocument[] {
  const { value } = document
  if (Array.isArray(value)) return value.flatMap((_, index) => heldIn(documentAt(document, [index])))
  return typeof value === 'object' && value !== null ? [document] : []
}

const TEXTS: readonly string[] = ['content', 'user', 'say', ...PROMPT_FIELDS]

/** Whether a field of a turn is a message or says whose it is. */
export function isMessage(name: string): boolean {
  return ['assistant', 'role', 'speaker', 'turn', ...TEXTS].includes(name)
}
