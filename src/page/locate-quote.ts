import type { JsonValue } from '../lib/json.ts'
import { unquote } from '../lib/text.ts'
import type { PageEvent, PageFile, PageRun } from '../report/page/page-data.ts'
import { originNote } from '../transcript/select.ts'
import type { Range } from './text.tsx'

/** Where in a run a quote stands: by the name of each text, the parts that are quoted. */
export interface LocatedQuote {
  readonly marks: Readonly<Record<string, readonly Range[]>>
  /** Name of the first of these texts. */
  readonly first: string
  /** The event it is in; `null` when it is in a file. */
  readonly event: number | null
}

/** A text of a run that is shown, by its name. */
interface Segment {
  readonly name: string
  readonly text: string
  readonly event: number | null
}

/** Finds a quote of the judge; `null` when no shown text holds it. */
export function locateQuote(
  { events, files }: Pick<PageRun, 'events' | 'files'>,
  quote: string,
  foundIn: string | null,
  item: string | null = null,
): LocatedQuote | null {
  const number = /^[em]([1-9]\d*)$/.exec(item ?? '')?.[1]
  const event = events.find(({ n }) => n === Number(number))
  const documents = [
    ...(event === undefined ? [] : [...textsOf(event), digest([event], ': '), digest([event], ' ')]),
    ...(foundIn === 'output' ? [output(events)] : []),
    ...fileTexts(files).filter(
      ([one]) => foundIn !== null && one !== undefined && foundIn.startsWith(pathOf(one.name)),
    ),
    ...events.flatMap(textsOf),
    digest(events, ': '),
    digest(events, ' '),
    output(events),
    ...fileTexts(files),
  ]
  const plain = withoutMarks(quote)
  for (const segments of documents) {
    const place = locateIn(segments, plain)
    if (place !== null) return place
  }
  // What a judge wrote without marks is not found letter by letter: its item is known all the same.
  return event === undefined ? null : wholeEvent(event)
}

function wholeEvent(event: PageEvent): LocatedQuote | null {
  const [first] = textsOf(event).flat()
  if (first === undefined) return null
  return { marks: { [first.name]: [{ start: 0, end: first.text.length }] }, first: first.name, event: event.n }
}

// A judge may repeat what its evidence has before each message and before each line that the test system did not write.
function withoutMarks(quote: string): string {
  return quote
    .replaceAll(/\[[emcfr]\d+\] ?(?:(?:the final )?message|all messages)?/g, '…')
    .replaceAll(/^[^\S\r\n\u2028\u2029]*\| ?/gm, '')
}

function locateIn(segments: readonly Segment[], quote: string): LocatedQuote | null {
  const found = findQuoteIn(segments.map(({ text }) => text).join(''), quote)
  if (found === null) return null
  const marks: Record<string, Range[]> = {}
  let from = 0
  for (const { name, text } of segments) {
    for (const { start, end } of found) {
      const range = { start: Math.max(start - from, 0), end: Math.min(end - from, text.length) }
      if (range.start < range.end && text.slice(range.start, range.end).trim() !== '' && name !== '')
        (marks[name] ??= []).push(range)
    }
    from += text.length
  }
  const first = segments.find(({ name }) => marks[name] !== undefined)
  return first === undefined ? null : { marks, first: first.name, event: first.event }
}

function output(events: readonly PageEvent[]): readonly Segment[] {
  return events.flatMap((event) =>
    event.kind === 'message' && event.agent === null
      ? [{ name: `e${event.n}.text`, text: event.text, event: event.n }, gap('\n')]
      : [],
  )
}

// Each text of an event for itself, as it is shown.
function textsOf(event: PageEvent): readonly (readonly Segment[])[] {
  const one = (field: string, text: string): readonly Segment[] => [
    { name: `e${event.n}.${field}`, text, event: event.n },
  ]
  if (event.kind === 'tool-call') return inputTexts(event.input).map(({ path, text }) => one(`input${path}`, text))
  if (event.kind === 'hook')
    return [one('reason', event.reason), ...(event.told ?? []).map(({ text }, index) => one(`told${index}`, text))]
  if (event.kind === 'api-retry') return [one('text', event.message)]
  return event.kind === 'skill-used' ? [] : [one('text', event.text)]
}

// As the judge was shown it: numbered lines.
function digest(events: readonly PageEvent[], between: string): readonly Segment[] {
  return events.flatMap((event) => {
    const { n, agent } = event
    const part = (field: string, text: string): Segment => ({ name: `e${n}.${field}`, text, event: n })
    const before = [
      gap(`[e${n}] ${agent === null ? '' : `(sub-agent ${agent}) `}`),
      part('label', describeEvent(event)),
    ]
    if (event.kind === 'tool-call') return [...before, gap(' '), part('json', JSON.stringify(event.input)), gap('\n')]
    if (event.kind === 'tool-result') return [...before, gap(between), part('text', event.text), gap('\n')]
    if (event.kind === 'hook') {
      const told = (event.told ?? []).map(({ text }, index) => part(`told${index}`, text))
      const parts = [part('reason', event.reason), ...told].filter(({ text }) => text.trim() !== '')
      return [...before, ...parts.flatMap((one, index) => [gap(index === 0 ? between : '\n'), one]), gap('\n')]
    }
    if (event.kind === 'prompt' || (event.kind === 'message' && agent !== null))
      return [...before, gap(between), part('text', event.text), gap('\n')]
    return [...before, gap('\n')]
  })
}

function fileTexts(files: readonly PageFile[]): readonly (readonly Segment[])[] {
  return files.flatMap(({ path, before, after, change, size }) => [
    ...(after === null ? [] : [[{ name: `f:${path}.after`, text: after, event: null }]]),
    ...(before === null ? [] : [[{ name: `f:${path}.before`, text: before, event: null }]]),
    [
      {
        name: `f:${path}.label`,
        text: `file ${change}: ${path}${size === null ? '' : ` (${size} bytes)`}`,
        event: null,
      },
    ],
  ])
}

function pathOf(name: string): string {
  return name.slice(2).replace(/\.(?:after|before|label)$/, '')
}

function gap(text: string): Segment {
  return { name: '', text, event: null }
}

/**
 * Finds the parts of a judge's quote in a text; `null` when it is not there. Space and invisible characters do not
 * count, and an ellipsis replaces what was left out: whether the quote proves anything was decided when it was judged.
 */
export function findQuoteIn(text: string, quote: string): readonly Range[] | null {
  const parts = partsOf(quote)
  if (parts.length === 0) return null
  const { folded, offsets } = fold(text)
  const found: Range[] = []
  let from = 0
  for (const part of parts) {
    const at = folded.indexOf(part, from)
    if (at === -1) return null
    from = at + part.length
    found.push({ start: offsets[at] ?? 0, end: (offsets[from - 1] ?? 0) + 1 })
  }
  return found
}

function partsOf(quote: string): readonly string[] {
  const parts = unquote(fold(quote).folded)
    .split(/\[?(?:…|\.{3,})\]?/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
  return parts.some((part) => /[\p{L}\p{N}]/u.test(part)) ? parts : []
}

interface Folded {
  readonly folded: string
  /** Where each character comes from. */
  readonly offsets: readonly number[]
}

// One blank for all space, no invisible characters, accents composed: as quotes are compared when they are judged.
function fold(text: string): Folded {
  const folded: string[] = []
  const offsets: number[] = []
  let space = -1
  for (const { 0: found, index } of text.matchAll(CHARACTER)) {
    const shown = found.replaceAll(INVISIBLE, '').normalize('NFC').replaceAll('‹', '<')
    if (shown === '') continue
    if (/^\s+$/.test(shown)) {
      if (space === -1) space = index
      continue
    }
    if (space !== -1 && offsets.length > 0) {
      folded.push(' ')
      offsets.push(space)
    }
    space = -1
    folded.push(shown)
    for (let at = 0; at < shown.length; at++) offsets.push(index + Math.min(at, found.length - 1))
  }
  return { folded: folded.join(''), offsets }
}

// With the marks that follow it, with which it may become one character.
const CHARACTER = /\P{M}\p{M}*|\p{M}+/gsu
const INVISIBLE = /(?!\s)[\p{Cc}\p{Cf}]/gu

/** The heading of an event, in the words in which a judge is shown it: a quote of it can be marked here. */
export function describeEvent(event: PageEvent): string {
  return `${nameEvent(event)}${originNote(event)}`
}

function nameEvent(event: PageEvent): string {
  switch (event.kind) {
    case 'message':
      return 'message'
    case 'prompt':
      return `message ${event.turn} of the user`
    case 'tool-call':
      return `tool call ${event.tool}`
    case 'tool-result':
      if (event.blockedBy !== null) return `tool call blocked by the ${event.blockedBy}`
      return event.isError ? 'tool error' : 'tool result'
    case 'skill-used':
      return `skill used: ${event.skill}`
    case 'hook':
      return `hook ${event.event}${event.tool === null ? '' : ` for ${event.tool}`} decided ${event.decision}`
    case 'api-retry':
      return `API request repeated${event.status === null ? '' : ` after status ${event.status}`}`
    case 'notice':
      return 'notice'
  }
}

/** One value of a tool's input as it is shown. */
interface InputText {
  /** Such as `.todos.0.text`; empty for an input that is no object. */
  readonly path: string
  readonly text: string
}

/** The values of a tool's input, one by one: texts as they were meant and not as JSON writes them. */
export function inputTexts(input: JsonValue | undefined, path = ''): readonly InputText[] {
  if (typeof input === 'string') return [{ path, text: input }]
  if (typeof input !== 'object' || input === null) return input === undefined ? [] : [{ path, text: String(input) }]
  const entries = Object.entries(input)
  if (entries.length === 0) return [{ path, text: Array.isArray(input) ? '[]' : '{}' }]
  return entries.flatMap(([key, value]) => inputTexts(value, `${path}.${key}`))
}
