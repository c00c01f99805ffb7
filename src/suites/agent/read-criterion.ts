/** What a line of the pass criteria asks for. */
export type Criterion =
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
    return { kind: 'scores', scores: names.map((dimension) => ({ dimension, least: Number(floor) })) }
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
const GENERAL = /\b(?:dimensions?|weighted|(?:overall|average|total) score)\b.*\d/i
const ENTRY = /^([A-Za-z][\w -]{0,60}?)\s*:\s*(?:≥|>=|=>|==?|>|≤|<=|<|at least)?\s*(\d(?:\.\d+)?)?/

interface Subjects {
  /** Finds a dimension anywhere in a text. */
  pattern(name: string): RegExp
  /** The scores that a text begins to speak of, and what follows; `null` when of none. */
  take(text: string): { readonly dimensions: readonly (string | null)[]; readonly rest: string } | null
}

// Dashes, underscores and blanks are the same in a name.
function words(name: string): string {
  return name.split(/[-_ ]+/).join('[-_ ]?')
}

function createSubjects(names: readonly string[]): Subjects {
  // Longer names first, so that `tone_of_voice` is not read as `tone`.
  const longest = names.toSorted((a, b) => b.length - a.length)
  const one = new RegExp(`^(?:the\\s+)?(?:(${ALL})|(${WEIGHTED})|(${longest.map(words).join('|')}))(?![\\w-])`, 'i')
  return {
    pattern: (name) => new RegExp(`(?<![\\w-])${words(name)}(?![\\w-])`, 'i'),
    take(text) {
      const dimensions: (string | null)[] = []
      let rest = text
      for (;;) {
        const [found, all, weighted, name] = one.exec(rest) ?? []
        if (found === undefined) return null
        if (all !== undefined) dimensions.push(...names)
        else if (weighted !== undefined) dimensions.push(null)
        else dimensions.push(...names.filter((known) => fold(known) === fold(name ?? '')))
        rest = rest.slice(found.length)
        const joint = /^\s*(?:,\s*(?:and\s+)?|and\s+|&\s*|\/\s*)/.exec(rest.replace(/^\s+/, ' '))
        const next = joint === null ? '' : rest.trimStart().slice(joint[0].trimStart().length)
        if (joint === null || !one.test(next)) return { dimensions, rest }
        rest = next
      }
    },
  }
}

const NONE_BELOW =
  /^no (?:dimension|score)s?\s+(?:is |are |may be |scores? |falls? )?(?:below|under|less than|<)\s*([1-5])(?![\d.%])/i
const ALL = '(?:all|every|each)(?: of the)?(?: other)? (?:dimensions?|scores?|criteria|criterion)|all'
const WEIGHTED =
  '(?:overall )?weighted(?: (?:score|average|total|mean))?|(?:overall|total|average|final|mean) score|overall'

// What stands between a name and its number, and the number itself.
const SCORE = new RegExp(
  [
    /^\s*(?:\([^)]*\)\s*)?/,
    /(?:scores?\s*)?(?:(?:must|should|needs? to|has to|have to)\s+)?(?:be\s+|scores?\s+|reach\s+|is\s+|are\s+)?/,
    /[:|–—-]?\s*(?:scores?\s*)?/,
    /(≥|>=|=>|==?|>|≤|<=|<|at least|a minimum of|minimum|min\.?|no less than|not below|exactly)?\s*/,
    /(\d(?:\.\d+)?)(?![\d%.]\d|%|\d)(?:\s*\/\s*5)?/,
    /(\s*(?:or (?:higher|above|more|better|greater)|and (?:above|up)|\+))?/,
  ]
    .map(({ source }) => source)
    .join(''),
  'i',
)

function readClauses(
  text: string,
  subjects: Subjects,
): readonly { readonly dimension: string | null; readonly least: number }[] | null {
  const scores: { readonly dimension: string | null; readonly least: number }[] = []
  let rest = text
  for (;;) {
    const taken = subjects.take(rest)
    const [found, sign = '', number] = taken === null ? [] : (SCORE.exec(taken.rest) ?? [])
    const least = number === undefined ? null : leastOf(sign, Number(number))
    if (taken === null || found === undefined || least === null) return null
    scores.push(...taken.dimensions.map((dimension) => ({ dimension, least })))
    rest = taken.rest.slice(found.length)
    // One of two is enough there: neither can be asked for alone.
    if (/^\s*(?:or|unless|if)\b/i.test(rest)) return null
    const joint = /^\s*(?:[,;]\s*(?:and\s+)?|and\s+|&\s*)/.exec(rest)
    if (joint === null || subjects.take(rest.slice(joint[0].length)) === null) return scores
    rest = rest.slice(joint[0].length)
  }
}

function leastOf(sign: string, number: number): number | null {
  if (sign.includes('≤') || sign.startsWith('<')) return null
  const least = sign === '>' ? Math.floor(number) + 1 : number
  return least >= 1 && least <= 5 ? least : null
}

function fold(name: string): string {
  return name.toLowerCase().replaceAll(/[-_ ]/g, '')
}
