import { createContext, type JSX } from 'preact'
import { useContext, useEffect, useRef, useState } from 'preact/hooks'
import { plural } from '../lib/text.ts'

/** What is marked in the texts of a run, by the names of the texts. */
interface Marked {
  readonly marks: Readonly<Record<string, readonly Range[]>>
  /** Changes each time a mark is to be scrolled to. */
  readonly request: number
}

/** Marks of the quote that was clicked last. */
export const Marks = createContext<Marked>({ marks: {}, request: 0 })

/** The marks of one text. */
export function useMarks(name: string): readonly Range[] {
  return useContext(Marks).marks[name] ?? NONE
}

const NONE: readonly Range[] = []

/** Text of an agent, a tool or a file: data, never markup. Long ones open on demand, or when something in them is marked. */
export function Text({
  name = '',
  text,
  lines = 24,
}: {
  readonly name?: string
  readonly text: string
  readonly lines?: number
}): JSX.Element {
  const marks = useMarks(name)
  const [isOpen, setOpen] = useState(false)
  const cut = cutAt(text, lines)
  const isWhole = isOpen || cut === text.length || marks.length > 0
  const hidden = text.slice(cut).split('\n').length
  return (
    <>
      <pre class="text" dir="auto">
        <Visible text={isWhole ? text : text.slice(0, cut)} marks={marks} />
      </pre>
      {cut < text.length && (
        <button type="button" class="more" aria-expanded={isWhole} onClick={() => setOpen(!isWhole)}>
          {isWhole ? 'Show less' : `Show ${plural(hidden, 'more line')}`}
        </button>
      )}
    </>
  )
}

/** A text on one line or within a sentence. */
export function Inline({ name = '', text }: { readonly name?: string; readonly text: string }): JSX.Element {
  return (
    <bdi>
      <Visible text={text} marks={useMarks(name)} />
    </bdi>
  )
}

/** A paragraph of one text; nothing where there is none. */
export function Line({
  class: name,
  text,
}: {
  readonly class?: string
  readonly text: string | null
}): JSX.Element | null {
  if (text === null) return null
  return (
    <p class={name}>
      <Inline text={text} />
    </p>
  )
}

/** A text with its hidden characters shown and its marked parts marked. */
export function Visible({ text, marks }: { readonly text: string; readonly marks: readonly Range[] }): JSX.Element {
  return <>{visibleText(text, marks).map((part) => (part.isMarked ? <Mark part={part} /> : <Plain part={part} />))}</>
}

function Plain({ part: { text, kind } }: { readonly part: Stretch }): JSX.Element {
  return kind === 'text' ? <>{text}</> : <span class="hidden-character">{text}</span>
}

function Mark({ part }: { readonly part: Stretch }): JSX.Element {
  const element = useRef<HTMLElement>(null)
  const { request } = useContext(Marks)
  useEffect(() => {
    const first = document.querySelector('mark.quote')
    if (first !== element.current) return
    element.current?.scrollIntoView({ block: 'center', behavior: 'auto' })
    element.current?.focus({ preventScroll: true })
  }, [request])
  return (
    <mark class="quote" tabIndex={-1} ref={element}>
      <Plain part={part} />
    </mark>
  )
}

// The end of the given number of lines, or of as many characters as they may have.
function cutAt(text: string, lines: number): number {
  let at = -1
  for (let line = 0; line < lines; line++) {
    at = text.indexOf('\n', at + 1)
    if (at === -1) break
  }
  const end = Math.min(at === -1 ? text.length : at, lines * 200)
  // A text that ends shortly after is shown to its end.
  return text.length - end < 200 ? text.length : end
}

/** A stretch of a text as it is shown: characters that an eye would miss, or that would reorder the line, by their code. */
interface Stretch {
  readonly text: string
  readonly kind: 'code' | 'text'
  readonly isMarked: boolean
}

/** A part of a text, by its offsets. */
export interface Range {
  readonly start: number
  readonly end: number
}

/** Cuts a text at its marks and at characters that must be made visible. */
export function visibleText(text: string, marks: readonly Range[] = []): readonly Stretch[] {
  const edges = new Set([0, text.length])
  for (const { start, end } of marks) edges.add(Math.max(0, start)).add(Math.min(text.length, end))
  const cuts = [...edges].toSorted((a, b) => a - b)
  return cuts.slice(0, -1).flatMap((from, index) => {
    const to = cuts[index + 1] ?? text.length
    const isMarked = marks.some(({ start, end }) => start <= from && to <= end)
    return stretches(text.slice(from, to)).map((one) => ({ ...one, isMarked }))
  })
}

function stretches(text: string): readonly Omit<Stretch, 'isMarked'>[] {
  const parts: Omit<Stretch, 'isMarked'>[] = []
  let from = 0
  for (const { 0: found, index } of text.matchAll(HIDDEN)) {
    if (index > from) parts.push({ text: text.slice(from, index), kind: 'text' })
    parts.push({ text: nameOf(found), kind: 'code' })
    from = index + found.length
  }
  if (from < text.length) parts.push({ text: text.slice(from), kind: 'text' })
  return parts
}

function nameOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}

/** One line of text, hidden characters by their code, for titles and attributes. */
export function visibleLine(text: string): string {
  return stretches(text.replaceAll(/\s+/g, ' '))
    .map((one) => one.text)
    .join('')
}

// As in the terminal: controls but tab and line feed, separators, bidirectional marks, characters without width, tags.
const HIDDEN =
  /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]|\r(?!\n)|\p{Surrogate}/gu
