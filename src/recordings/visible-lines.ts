import { sha256 } from '../sha256.ts'

/** A text of ours that a model may be shown. */
export interface PackageText {
  /** File, relative to the package. */
  readonly path: string
  /** Such as `prompt`, `description` or `body`. */
  readonly part: string
  readonly text: string
  /** Absolute path of the file that it is a part of, where it stands there word for word. */
  readonly file?: string
  /** Whether it is given to the engine whatever can be found of it in a request, as the prompt is. */
  readonly always: boolean
}

/** One line of a text, or a piece of a long one. */
export interface Line {
  readonly text: string
  readonly hash: string
  /** Line in the text, from 1. */
  readonly number: number
}

/** Cuts a text into the lines that are looked for. Engines cut long ones off, so those are looked for in pieces. */
export function linesOf(text: string): readonly Line[] {
  return text
    .split('\n')
    .flatMap((line, index) =>
      piecesOf(line.trim()).map((piece) => ({ text: piece, hash: hashOf(piece), number: index + 1 })),
    )
}

/**
 * What a model sees of a text, by which of its lines it was shown: from the first to the last of them. Lines between
 * count as seen too, and those beside that an engine fills in, such as `$ARGUMENTS`: they are there in another form.
 *
 * `null` when the text is not shown from its beginning: a line or two may occur by chance.
 */
export function visibleLines(lines: readonly Line[], isShown: (line: Line) => boolean): readonly Line[] | null {
  const plain = lines.filter((line) => !isFilledIn(line))
  const opening = plain.slice(0, OPENING)
  if (opening.length === 0 || !opening.every(isShown)) return null
  const shown = lines.flatMap((line, index) => (isShown(line) ? [index] : []))
  let first = shown[0] ?? 0
  let last = shown.at(-1) ?? 0
  while (first > 0 && isFilledIn(lines[first - 1])) first -= 1
  while (last < lines.length - 1 && isFilledIn(lines[last + 1])) last += 1
  return lines.slice(first, last + 1)
}

/** Lines at the beginning that have to be shown. */
const OPENING = 3
/** Characters of a line that are looked for at once. */
const PIECE = 120

// What has no letters to speak of, such as `---`, says nothing about whose text it is.
function piecesOf(line: string): readonly string[] {
  if ((line.match(/[\p{L}\p{N}]/gu)?.length ?? 0) < 3) return []
  if (line.length <= PIECE) return [line]
  const end = line.lastIndexOf(' ', PIECE)
  const cut = end > PIECE / 2 ? end : PIECE
  return [line.slice(0, cut), ...piecesOf(line.slice(cut).trim())]
}

function isFilledIn(line: Line | undefined): boolean {
  return line !== undefined && /\$[{\w]|!`/.test(line.text)
}

function hashOf(text: string): string {
  return sha256(text, 6)
}
