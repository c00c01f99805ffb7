/** A quote as it is looked up: one part, or two with something left out in between. */
export interface QuoteParts {
  readonly first: string
  readonly second: string | null
}

/** Takes a quote apart at its ellipsis; `null` where more than one thing is left out, or nothing is quoted. */
export function readQuote(quote: string): QuoteParts | null {
  const parts = quote
    .replace(EDGE_BEFORE, '')
    .replace(EDGE_AFTER, '')
    .split(ELLIPSIS)
    .map((part) => part.trim())
  const [first, second = null] = parts
  if (parts.length > 2 || first === undefined || first === '' || second === '') return null
  return { first, second }
}

// Each run of blanks or dots is read from its beginning only: a judge may send long ones.
const ELLIPSIS = /(?:(?<!\s)\s+)?\[?(?:…|(?<!\.)\.{3,})\]?\s*/
const EDGE_BEFORE = /^\s*\[?(?:…|\.{3,})\]?\s*/
const EDGE_AFTER = /(?:(?<!\s)\s+)?\[?(?:…|(?<!\.)\.{3,})\]?\s*$/
