/** Keeps beginning and end of a text and says in between how much is missing. */
export function cutMiddle(text: string, most: number): string {
  if (text.length <= most) return text
  const head = safeEnd(text, Math.ceil(most * HEAD_SHARE))
  const tail = safeStart(text, text.length - (most - Math.ceil(most * HEAD_SHARE)))
  return `${text.slice(0, head)}\n${cutMark(tail - head, text.length)}\n${text.slice(tail)}`
}

/** The line that stands for what was left out. */
export function cutMark(left: number, total: number): string {
  return `[cut: ${left} of ${total} characters are left out here]`
}

const HEAD_SHARE = 0.6

// Half of a surrogate pair is no text.
function safeEnd(text: string, index: number): number {
  return /[\uD800-\uDBFF]/.test(text[index - 1] ?? '') ? index - 1 : index
}

function safeStart(text: string, index: number): number {
  return /[\uDC00-\uDFFF]/.test(text[index] ?? '') ? index + 1 : index
}
