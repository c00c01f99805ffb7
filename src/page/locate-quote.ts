import type { PageFile, PageRun } from '../report/page/page-data.ts'
import type { PageEvent } from '../report/page/parse-transcript.ts'
import { inputTexts } from './input-texts.ts'
import { describeEvent } from './describe-event.ts'
import { findQuoteIn } from './quote-positions.ts'
import type { Range } from './visible-text.ts'

/** Where in a run a quote stands: by the name of each text, the parts that are quoted. */
export interface QuotePlace {
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
): QuotePlace | null {
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
  const asked = withoutMarks(quote)
  for (const segments of documents) {
    const place = locateIn(segments, asked)
    if (place !== null) return place
  }
  // What a judge wrote without marks is not found letter by letter: its item is known all the same.
  return event === undefined ? null : wholeEvent(event)
}

function wholeEvent(event: PageEvent): QuotePlace | null {
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

function locateIn(segments: readonly Segment[], quote: string): QuotePlace | null {
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
    if (event.kind === 'message' && agent !== null)
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
