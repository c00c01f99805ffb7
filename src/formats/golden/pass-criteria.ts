import { errorIn, warningIn, type Issue } from '../../lib/documents/document.ts'
import { nearestName } from '../../lib/documents/nearest-name.ts'
import type { RequiredScore, Rubric } from '../suite.ts'
import type { Section } from './sections.ts'

/** Pass criteria as far as they can be enforced. */
interface PassCriteria {
  readonly required: readonly RequiredScore[]
  readonly watchedHardFails: readonly string[]
  readonly issues: readonly Issue[]
}

/**
 * Reads the lines of the pass criteria. A line that names a dimension and a least score is enforced; any other line that
 * names one is left to the judge, and an issue says so.
 */
export function readPassCriteria(
  section: Section | null,
  file: string,
  { dimensions, hardFails }: Pick<Rubric, 'dimensions' | 'hardFails'>,
): PassCriteria {
  const names = dimensions.map(({ name }) => name)
  const codes = new Set(hardFails.map(({ code }) => code))
  const required: RequiredScore[] = []
  const issues: Issue[] = []
  const lines = section === null ? [] : section.text.split('\n')
  for (const [index, line] of lines.entries()) {
    const at = { line: (section?.textLine ?? 1) + index, column: 1 }
    const read = readCriterion(line, names)
    if (read.kind === 'scores') required.push(...read.scores.map((score) => ({ ...score, at })))
    if (read.kind === 'left') {
      const message = `${JSON.stringify(line.trim())} is not enforced, only the judge sees it; to enforce it, write "${read.name}: ≥ ${scoreIn(line) ?? 4}"`
      issues.push(warningIn(file, 'unenforced-criterion', message, at))
    }
    if (read.kind === 'unknown') issues.push(describeUnknown(read, names, file, at))
  }

  const watched = [...new Set(lines.flatMap((line) => line.match(CODE) ?? []))]
  for (const code of watched.filter((one) => !codes.has(one))) {
    const line = (section?.textLine ?? 1) + lines.findIndex((one) => one.includes(code))
    issues.push(warningIn(file, 'unknown-hard-fail', `rubric.md has no hard fail ${code}`, { line, column: 1 }))
  }
  return { required, watchedHardFails: watched.filter((one) => codes.has(one)), issues }
}

/** Codes of hard fails as they are named in prose. */
export const CODE: RegExp = /\bHF-?\d+\b/g

function describeUnknown(
  { written, isScore }: { readonly written: string; readonly isScore: boolean },
  names: readonly string[],
  file: string,
  at: RequiredScore['at'],
): Issue {
  const near = nearestName(written, names)
  const message = `rubric.md has no dimension ${JSON.stringify(written)}`
  // Something close to a known name is a slip; the criterion it was meant to be would be lost.
  if (near !== null) return errorIn(file, 'unknown-dimension', `${message}. Did you mean "${near}"?`, at)
  const code = isScore ? 'unknown-dimension' : 'unenforced-criterion'
  const advice = isScore ? 'it is not enforced; only the judge sees it' : 'only the judge reads it'
  return warningIn(file, code, `${message}; ${advice}`, at)
}

/** What a line of the pass criteria asks for. */
type Criterion =
  /** Least scores that can be enforced; `null` is the weighted score. */
  | {
      readonly kind: 'scores'
      readonly scores: readonly { readonly dimension: string | null; readonly least: number }[]
    }
  /** It names a dimension, and not in a way that can be enforced. */
  | { readonly kind: 'left'; readonly name: string }
  /** A list entry about something that is no dimension. */
  | { readonly kind: 'unknown'; readonly written: string; readonly isScore: boolean }
  | { readonly kind: 'prose' }

/**
 * Reads one line, such as `- memory ≥ 4`, `1. memory (30%): at least 4`, `tone and memory: 4 or higher`,
 * `weighted score ≥ 4.8` or `All dimensions ≥ 4`.
 *
 * @param names - the dimensions of the rubric. `Memory recall` and `memory-recall` are its `memory_recall`.
 */
export function readCriterion(line: string, names: readonly string[]): Criterion {
  const text = line.replaceAll(/\*\*|__|`/g, '').replace(/(^|[\s(])[*_](?=\w)|(?<=\w)[*_](?=$|[\s:,)])/g, '$1')
  const body = text.replace(BULLET, '').trim()
  const subjects = createSubjects(names)
  const [, floor] = NONE_BELOW.exec(body) ?? []
  if (floor !== undefined)
    return { kind: 'scores', scores: names.map((dimension) => ({ dimension, least: numberOf(floor) })) }
  const read = readClauses(body, subjects)
  if (read !== null) return { kind: 'scores', scores: read }
  const named = names.find((name) => subjects.pattern(name).test(body))
  if (named !== undefined) return { kind: 'left', name: named }
  if (GENERAL.test(body)) return { kind: 'left', name: 'All dimensions' }
  const [, written, number] = LISTED.test(text) ? (ENTRY.exec(body) ?? []) : []
  return written === undefined ? { kind: 'prose' } : { kind: 'unknown', written, isScore: number !== undefined }
}

const BULLET = /^\s*(?:[-*+•]|\d+[.)]|\|)?\s*(?:\[[ xX]\]\s*)?/
const LISTED = /^\s*(?:[-*+•]|\d+[.)])\s/
// It speaks of scores in general, with a number.
const GENERAL = /\b(?:dimensions?|weighted|(?:overall|average|total) score)\b.*(?:\d|\b(?:one|two|three|four|five)\b)/i
const ENTRY = /^([A-Za-z][\w -]{0,60}?)\s*:\s*(?:≥|>=|=>|==?|>|≤|<=|<|at least)?\s*(\d(?:\.\d+)?)?/

interface Subjects {
  /** Finds a dimension anywhere in a text. */
  pattern(name: string): RegExp
  /** The scores that a text begins to speak of, and what follows; `null` when of none. */
  take(text: string): { readonly dimensions: readonly (string | null)[]; readonly rest: string } | null
  /** Whether a clause begins here. */
  isNext(text: string): boolean
}

// Dashes, underscores and blanks are the same in a name.
function words(name: string): string {
  return name.split(/[-_ ]+/).join('[-_ ]?')
}

function createSubjects(names: readonly string[]): Subjects {
  // Longer names first, so that `tone_of_voice` is not read as `tone`.
  const longest = names.toSorted((a, b) => b.length - a.length)
  const one = new RegExp(
    `^(?:(?:the|an?)\\s+)?(?:(${ALL})|(${WEIGHTED})|(${longest.map(words).join('|')}))(?![\\w-])`,
    'i',
  )
  const take: Subjects['take'] = (text) => {
    const dimensions: (string | null)[] = []
    let rest = text
    for (;;) {
      const [found, all, weighted, name] = one.exec(rest) ?? []
      if (found === undefined) return null
      if (all !== undefined) dimensions.push(...names)
      else if (weighted !== undefined) dimensions.push(null)
      else dimensions.push(...names.filter((candidate) => fold(candidate) === fold(name ?? '')))
      rest = rest.slice(found.length)
      const joint = /^\s*(?:,\s*(?:and\s+)?|and\s+|&\s*|\/\s*)/.exec(rest.replace(/^\s+/, ' '))
      const next = joint === null ? '' : rest.trimStart().slice(joint[0].trimStart().length)
      if (joint === null || !one.test(next)) return { dimensions, rest }
      rest = next
    }
  }
  return {
    take,
    isNext: (text) => [SCORE_FIRST, SIGN_FIRST].some((start) => start.test(text)) || take(text) !== null,
    pattern: (name) => new RegExp(`(?<![\\w-])${words(name)}(?![\\w-])`, 'i'),
  }
}

const ALL = '(?:all|every|each)(?: of the)?(?: other)? (?:dimensions?|scores?|criteria|criterion)|all'
const WEIGHTED =
  '(?:overall )?weighted(?: (?:score|average|total|mean))?|(?:overall|total|average|final|mean) score|overall'

const SIGN =
  '≥|>=|=>|==?|>|≤|<=|<|at least|(?:an? )?minimum(?: score)? of|minimum|min\\.?|(?:no|not|never|nothing) (?:be |fall |drop |go )?(?:lower|less|worse|under|below)(?: than)?|(?:higher|greater|better|more) than|above|over|exactly'
const NUMBER = '(?:\\d(?:\\.\\d+)?|one|two|three|four|five)'
const NONE_BELOW = new RegExp(
  `^no (?:dimension|score)s?\\s+(?:is |are |(?:may|must|should) (?:be |fall |score )?|scores? |falls? )?(?:below|under|lower than|less than|<)\\s*(${NUMBER})(?![\\w.%])`,
  'i',
)
const OUT_OF_FIVE = String.raw`(?![\w%.]\d|[\w%])(?:\s*(?:\/|of|out of)\s*(?:5|five)\b)?`
const OR_BETTER = String.raw`(?:or (?:higher|above|more|better|greater)|and (?:above|up)|\+)`

// What stands between a name and its number, and the number itself.
const SCORE = new RegExp(
  [
    String.raw`^\s*(?:\([^)]*\)\s*)?`,
    String.raw`(?:scores?\s*)?(?:(?:must|should|needs? to|has to|have to)\s+)?(?:(?:be|gets?|earns?|receives?|scores?|reach(?:es)?|is|are|of)\s+)?(?:an?\s+(?=[\dotf]))?`,
    String.raw`[:|–—-]?\s*(?:scores?\s*)?(?:of\s+)?`,
    String.raw`(${SIGN})?\s*(${NUMBER})${OUT_OF_FIVE}(\s*${OR_BETTER})?`,
  ].join(''),
  'i',
)
// The number before the name: `at least 4 in memory`, `5 or better for tone`.
const SCORE_FIRST = new RegExp(
  `^(?:an? )?(?:score of )?(${SIGN})?\\s*(${NUMBER})${OUT_OF_FIVE}(\\s*${OR_BETTER})?\\s+(?:in|for|on)\\s+`,
  'i',
)
// The sign before the name: `min memory 5`.
const SIGN_FIRST = new RegExp(`^(?:a |the )?(${SIGN})\\s+(?=[a-z])`, 'i')
// What may follow a score: `memory: at least 3 notes are named` asks for none.
const ENDS =
  /^\s*(?:$|(?!-\w)[^\w\s]|(?:and|or|unless|if|for|in|on|points?|stars?|is|are|required|because|since|as|overall|always|throughout|every|each|needed|expected|to pass)\b)/i

interface Score {
  readonly dimension: string | null
  readonly least: number
}

interface Clause {
  readonly scores: readonly Score[]
  readonly rest: string
}

function readClauses(text: string, subjects: Subjects): readonly Score[] | null {
  const scores: Score[] = []
  let rest = text
  for (;;) {
    const clause = readClause(rest, subjects)
    if (clause === null) return null
    scores.push(...clause.scores)
    // One of two is enough there: neither can be asked for alone.
    if (/^\s*(?:or|unless|if)\b/i.test(clause.rest)) return null
    const joint = /^\s*(?:[,;]\s*(?:and\s+)?|and\s+|&\s*)/.exec(clause.rest)
    rest = clause.rest.slice(joint?.[0].length ?? 0)
    if (joint === null || !subjects.isNext(rest)) return scores
  }
}

function readClause(text: string, subjects: Subjects): Clause | null {
  const first = SCORE_FIRST.exec(text)
  const named = first === null ? null : subjects.take(text.slice(first[0].length))
  if (first !== null && named !== null) return clauseOf(first, named.dimensions, named.rest)
  const [before = '', leading] = SIGN_FIRST.exec(text) ?? []
  const taken = subjects.take(text.slice(before.length))
  const found = taken === null ? null : SCORE.exec(taken.rest)
  if (taken === null || found === null) return null
  const after = taken.rest.slice(found[0].length)
  return ENDS.test(after) ? clauseOf(found, taken.dimensions, after, leading) : null
}

function clauseOf(
  [, sign, number = '']: RegExpExecArray,
  dimensions: readonly (string | null)[],
  rest: string,
  leading = '',
): Clause | null {
  const least = leastOf(sign ?? leading, numberOf(number))
  return least === null ? null : { scores: dimensions.map((dimension) => ({ dimension, least })), rest }
}

/** The score from 1 to 5 that a line names, as its author has it; `null` where it names none, or a greatest one. */
export function scoreIn(line: string): number | null {
  if (/[≤<]|\b(?:at most|no (?:more|higher|greater) than|maximum|max)\b/i.test(line)) return null
  const [, written] = new RegExp(`(?<![\\w.])(${NUMBER})(?![\\w%]|\\.\\d)`, 'i').exec(line.replace(BULLET, '')) ?? []
  return written === undefined ? null : leastOf('', numberOf(written))
}

function numberOf(written: string): number {
  const word = WORDS.indexOf(written.toLowerCase())
  return word === -1 ? Number(written) : word + 1
}

const WORDS = ['one', 'two', 'three', 'four', 'five']

function leastOf(sign: string, number: number): number | null {
  if (sign.includes('≤') || sign.startsWith('<')) return null
  const least = /^(?:>$|above|over|higher|greater|better|more)/i.test(sign) ? Math.floor(number) + 1 : number
  return least >= 1 && least <= 5 ? least : null
}

function fold(name: string): string {
  return name.toLowerCase().replaceAll(/[-_ ]/g, '')
}
