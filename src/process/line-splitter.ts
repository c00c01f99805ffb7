import { StringDecoder } from 'node:string_decoder'

/** Cuts a stream of bytes into lines; bytes that are not UTF-8 become replacement characters. */
export class LineSplitter {
  readonly #onLine: (line: string) => void
  readonly #decoder = new StringDecoder('utf8')
  #pieces: string[] = []
  #length = 0
  #cut = false

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine
  }

  add(chunk: Buffer): void {
    const [rest = '', ...following] = this.#decoder.write(chunk).split('\n')
    this.#extend(rest)
    for (const piece of following) {
      this.#emit()
      this.#extend(piece)
    }
  }

  /** Gives out a last line that has no newline. */
  end(): void {
    this.#extend(this.#decoder.end())
    if (this.#length > 0) this.#emit()
  }

  #extend(piece: string): void {
    if (piece === '') return

    const room = MAX_LINE_LENGTH - this.#length
    if (piece.length > room) this.#cut = true
    if (room <= 0) return

    const kept = piece.slice(0, room)
    this.#pieces.push(kept)
    this.#length += kept.length
  }

  #emit(): void {
    const line = this.#pieces.join('')
    const cut = this.#cut
    this.#pieces = []
    this.#length = 0
    this.#cut = false
    this.#onLine(cut ? line + CUT_MARK : line.endsWith('\r') ? line.slice(0, -1) : line)
  }
}

const MAX_LINE_LENGTH = 16 * 1024 * 1024
const CUT_MARK = ' [line cut at 16 MiB]'
