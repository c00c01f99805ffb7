import { singleSpaced } from '../lib/text.ts'
import type { Criteria, Statement } from './suite.ts'

/**
 * Splits criteria into single statements: bullets where there are any, else sentences. Each gets a verdict of its own.
 *
 * By rules and not by a model or the language data of the platform: the same text must split the same way everywhere.
 */
export function splitCriteria(criteria: string): readonly string[] {
  const all = paragraphsOf(criteria)
  const stated = all.filter(isStatement)
  const statements = (stated.length === 0 ? all : stated).flatMap(splitParagraph)
  const texts = statements.map(singleSpaced).filter((text) => /[\p{L}\p{N}]/u.test(text))
  return [...new Set(texts)]
}

/** Criteria made of single statements; `null` where there are none. */
export function criteriaOf(statements: readonly Statement[]): Criteria | null {
  const [first] = statements
  const text = statements.map((one) => `- ${one.text}`).join('\n')
  return first === undefined ? null : { text, at: first.at, statements }
}

// A heading, or a line that ends with a colon, only says what follows.
function isStatement({ text, isBullet }: Paragraph): boolean {
  return isBullet || !(HEADING.test(text) || text.trimEnd().endsWith(':') || text.trimEnd().endsWith('：'))
}

const HEADING = /^\s{0,3}(?:#{1,6}\s|\*\*[^*]+\*\*:?\s*$)/

interface Paragraph {
  readonly text: string
  readonly isBullet: boolean
  /** The line with a colon that a list hangs on. */
  readonly lead: string
}

function paragraphsOf(criteria: string): readonly Paragraph[] {
  const paragraphs: Paragraph[] = []
  let lead = ''
  let open = false
  for (const line of criteria.split(/\r?\n/)) {
    const bullet = BULLET.exec(line)?.[1]
    const last = paragraphs.at(-1)
    if (line.trim() === '') {
      open = false
    } else if (bullet !== undefined) {
      if (last !== undefined && !last.isBullet && last.text.trimEnd().endsWith(':')) {
        paragraphs.pop()
        lead = last.text.trim()
      }
      paragraphs.push({ text: bullet, isBullet: true, lead })
      open = true
    } else if (open && last !== undefined && (!last.isBullet || /^\s/.test(line))) {
      paragraphs[paragraphs.length - 1] = { ...last, text: `${last.text}\n${line}` }
    } else {
      lead = ''
      paragraphs.push({ text: line, isBullet: false, lead: '' })
      open = true
    }
  }
  return paragraphs
}

const BULLET = /^\s*(?:[-*+•–]|\d{1,3}[.)]|[a-z]\)|\[[ xX]?\])\s+(.*)$/

// A bullet is one statement, however its author punctuates it.
function splitParagraph({ text, isBullet, lead }: Paragraph): readonly string[] {
  return isBullet ? [`${lead} ${text}`] : sentencesOf(singleSpaced(text))
}

function sentencesOf(text: string): readonly string[] {
  const sentences: string[] = []
  let start = 0
  for (const end of text.matchAll(SENTENCE_END)) {
    const next = end.index + end[0].length
    const sentence = text.slice(Math.max(start, end.index - LONGEST_ABBREVIATION), end.index + 1)
    if (ABBREVIATION.test(sentence) || INITIAL.test(sentence)) continue
    sentences.push(text.slice(start, next))
    start = next
  }
  return [...sentences, text.slice(start)]
}

// A full stop ends a sentence when what follows can begin one; those of Chinese and Japanese always do.
const SENTENCE_END = /[.!?][)"'”’`]?\s+(?=["'“‘`([]?[\p{Lu}\p{N}\p{Lo}`"'“$/])|[。！？]\s*/gu

const LONGEST_ABBREVIATION = 8

const ABBREVIATION =
  /(?:^|[\s(])(?:e\.g|i\.e|etc|cf|vs|approx|incl|excl|resp|no|nos|fig|sec|ch|p|pp|mr|mrs|ms|dr|st|z\.b|d\.h)\.$/i

// As in `J. Doe`.
const INITIAL = /(?:^|\s)\p{Lu}\.$/u
