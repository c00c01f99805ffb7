import { sha256 } from '../lib/sha256.ts'
import { withoutReminders } from './conversation.ts'
import type { ResultForm } from './messages.ts'
import type { RecordedLines } from './recording.ts'

/** What a recording keeps of a text. What an engine adds in reminders is left out. */
export function recordLines(text: string, tool: string | null, form: ResultForm): RecordedLines {
  const plain = withoutReminders(text)
    .trimEnd()
    .split('\n')
    .map((line) => form(line, tool))
    .join('\n')
  const kept = plain.length <= KEPT ? plain : plain.slice(0, cutOf(plain))
  const rest = plain.slice(kept.length)
  return {
    lines: kept === '' ? [] : kept.replace(/\n$/, '').split('\n'),
    rest: rest === '' ? null : sha256(rest, 12),
    unstable: [],
    varies: false,
  }
}

/** Characters of a text that are kept. */
const KEPT = 2048

// After a whole line, unless the first is longer than that.
function cutOf(text: string): number {
  const end = text.lastIndexOf('\n', KEPT - 1)
  return end <= 0 ? KEPT : end + 1
}

/** Marks the lines of a text that the same run, made again at once, gave differently. */
export function markUnstable<Lines extends RecordedLines>(text: Lines, again: RecordedLines): Lines {
  const rest = text.rest === again.rest ? text.rest : null
  const varies = text.lines.length !== again.lines.length
  const common = varies ? commonLines(text.lines, again.lines) : null
  const isStable = (line: string, index: number): boolean => common?.has(index) ?? line === again.lines[index]
  return { ...markLines(text, (line, index) => !isStable(line, index)), rest, ...(varies ? { varies } : {}) }
}

/** Marks the lines that hold a word of their day or machine, which no second run on the same day can show. */
export function markVolatile<Lines extends RecordedLines>(text: Lines, words: readonly string[]): Lines {
  return markLines(text, (line) => words.some((word) => word !== '' && line.includes(word)))
}

function markLines<Lines extends RecordedLines>(
  text: Lines,
  isUnstable: (line: string, index: number) => boolean,
): Lines {
  const known = new Set(text.unstable)
  const numbers = text.lines.map((line, index) => (known.has(index + 1) || isUnstable(line, index) ? index + 1 : 0))
  return { ...text, unstable: numbers.filter((number) => number > 0) }
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

/** The first place where a text differs from the recorded one. */
export interface LineDifference {
  /** From 1; `null` for what follows the kept lines. */
  readonly line: number | null
  readonly recorded: string
  readonly now: string
}

/** How a text differs from the recorded one where that proved stable; `null` when it does not. */
export function compareLines(before: RecordedLines, after: RecordedLines): LineDifference | null {
  const unstable = new Set(before.unstable)
  const stable = before.lines.flatMap((line, index) => (unstable.has(index + 1) ? [] : [{ line, number: index + 1 }]))
  const missing = before.varies
    ? firstMissing(stable, after.lines)
    : stable.find(({ line, number }) => after.lines[number - 1] !== line)
  const number =
    missing?.number ??
    (before.varies || after.lines.length === before.lines.length
      ? null
      : Math.min(before.lines.length, after.lines.length) + 1)
  if (number !== null)
    return {
      line: number,
      recorded: before.lines[number - 1] ?? NO_LINE,
      now: after.lines[number - 1] ?? NO_LINE,
    }
  if (before.rest === null || before.rest === after.rest) return null
  const now = after.rest === null ? 'nothing there' : 'different text'
  return { line: null, recorded: 'the text after the first 2 KB', now }
}

const NO_LINE = 'no such line'

type NumberedLine = { readonly line: string; readonly number: number }

function firstMissing(stable: readonly NumberedLine[], lines: readonly string[]): NumberedLine | undefined {
  let from = 0
  for (const one of stable) {
    const found = lines.indexOf(one.line, from)
    if (found < 0) return one
    from = found + 1
  }
  return undefined
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
