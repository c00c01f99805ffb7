/** What a statement names, in lower case. */
export interface StatementTerms {
  /** Paths, and what stands in quotes or backticks. */
  readonly names: readonly string[]
  /** Numbers and the longer words. */
  readonly words: readonly string[]
}

/** Reads the names and words by which evidence for statements is found. */
export function termsOf(statements: readonly string[]): StatementTerms {
  const text = statements.join('\n')
  const names = [...text.matchAll(QUOTED), ...text.matchAll(PATH)].map(([whole, ...groups]) =>
    (groups.find((group) => group !== undefined) ?? whole).trim().toLowerCase(),
  )
  const words = (text.toLowerCase().match(WORD) ?? []).filter((word) => !COMMON.has(word))
  return {
    names: [...new Set(names)].filter((name) => name.length > 1).slice(0, MOST),
    words: [...new Set(words)].slice(0, MOST),
  }
}

const MOST = 60
const QUOTED = /`([^`\n]{2,200})`|"([^"\n]{2,200})"|“([^”\n]{2,200})”/g
const PATH =
  /(?<![\p{L}\p{N}_@./-])[\p{L}\p{N}_@.-]*\/[\p{L}\p{N}_@./-]*[\p{L}\p{N}_]|(?<![\p{L}\p{N}_-])[\p{L}\p{N}_-]+\.[a-z]\w{0,7}\b/giu
const WORD = /\p{N}[\p{N}.,]*|\p{L}{4,}/gu

const COMMON: ReadonlySet<string> = new Set(
  'agent must should that this with from have been were which what when where whether there their they them than then into only also each both other others does done made make output answer file files'.split(
    ' ',
  ),
)
