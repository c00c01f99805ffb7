import type { RecordedLines } from './recording.ts'

/** Marks the lines of a result that the same run, made again at once, gave differently. */
export function markUnstable<Lines extends RecordedLines>(result: Lines, again: RecordedLines): Lines {
  const rest = result.rest === again.rest ? result.rest : null
  if (result.lines.length === again.lines.length) {
    const unstable = result.lines.flatMap((line, index) => (line === again.lines[index] ? [] : [index + 1]))
    return { ...result, rest, unstable: union(result.unstable, unstable) }
  }
  const common = commonLines(result.lines, again.lines)
  const unstable = result.lines.flatMap((_, index) => (common.has(index) ? [] : [index + 1]))
  return { ...result, rest, unstable: union(result.unstable, unstable), varies: true }
}

/** Marks the lines that hold a word of their day or machine, which no second run on the same day can show. */
export function markVolatile<Lines extends RecordedLines>(result: Lines, words: readonly string[]): Lines {
  const isVolatile = (line: string): boolean => words.some((word) => word !== '' && line.includes(word))
  const unstable = result.lines.flatMap((line, index) => (isVolatile(line) ? [index + 1] : []))
  return { ...result, unstable: union(result.unstable, unstable) }
}

/** The day in the ways that programs print it. */
export function dayWords(now: Date): readonly string[] {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
  const name = MONTHS[month] ?? ''
  const iso = now.toISOString().slice(0, 10)
  const two = String(day).padStart(2, '0')
  return [
    iso,
    iso.replaceAll('-', '/'),
    iso.replaceAll('-', ''),
    `${name} ${day}, ${year}`,
    `${name} ${two} `,
    `${name} ${String(day).padStart(2)} `,
    `${two} ${name} ${year}`,
    `${day} ${name} ${year}`,
  ]
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

function union(left: readonly number[], right: readonly number[]): readonly number[] {
  return [...new Set([...left, ...right])].toSorted((a, b) => a - b)
}

/** Indexes in `left` of a longest common subsequence. */
function commonLines(left: readonly string[], right: readonly string[]): ReadonlySet<number> {
  const lengths = left.map(() => Array.from<number>({ length: right.length + 1 }).fill(0))
  lengths.push(Array.from<number>({ length: right.length + 1 }).fill(0))
  const at = (row: number, column: number): number => lengths[row]?.[column] ?? 0
  for (let row = left.length - 1; row >= 0; row -= 1)
    for (let column = right.length - 1; column >= 0; column -= 1) {
      const length =
        left[row] === right[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1))
      lengths[row]?.splice(column, 1, length)
    }
  const common = new Set<number>()
  for (let row = 0, column = 0; row < left.length && column < right.length;) {
    if (left[row] === right[column]) {
      common.add(row)
      row += 1
      column += 1
    } else if (at(row + 1, column) >= at(row, column + 1)) row += 1
    else column += 1
  }
  return common
}
