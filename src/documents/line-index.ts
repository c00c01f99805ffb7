import type { Position } from './issue.ts'

/** Turns an offset in a text into the line and column that an editor shows. */
export type PositionAt = (offset: number) => Position

/** `firstLine` is the number of the text's first line, for a text that was cut out of a longer file. */
export function indexLines(text: string, firstLine = 1): PositionAt {
  const starts = [0]
  for (let next = text.indexOf('\n'); next !== -1; next = text.indexOf('\n', next + 1)) {
    starts.push(next + 1)
  }

  return (offset) => {
    const line = lastStartUpTo(starts, offset)
    return { line: line + firstLine, column: offset - (starts[line] ?? 0) + 1 }
  }
}

function lastStartUpTo(starts: readonly number[], offset: number): number {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((starts[middle] ?? 0) <= offset) low = middle
    else high = middle - 1
  }

  return low
}
