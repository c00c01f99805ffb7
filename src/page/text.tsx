import { createContext, type JSX } from 'preact'
import { useContext, useEffect, useRef, useState } from 'preact/hooks'
import { plural } from './format.ts'
import { visibleText, type Range, type Stretch } from './visible-text.ts'

/** What is marked in the texts of a run, by the names of the texts. */
export interface Marked {
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
