/** Keeps the start and the end of a stream that may be far larger than memory. */
export class BoundedText {
  readonly #start: Buffer[] = []
  #startLength = 0
  #ring: Buffer | null = null
  #seen = 0

  /** Takes the next bytes; never fails and never grows past twice {@link KEPT_BYTES}. */
  add(chunk: Buffer): void {
    const room = KEPT_BYTES - this.#startLength
    const first = chunk.subarray(0, room)
    if (first.length > 0) {
      this.#start.push(first)
      this.#startLength += first.length
    }

    this.#addToRing(chunk.subarray(first.length))
  }

  /** Whole when short; else start and end, with a line between them that says how much is missing. */
  toString(): string {
    const start = Buffer.concat(this.#start)
    const kept = Math.min(this.#seen, KEPT_BYTES)
    if (this.#ring === null || kept === 0) return start.toString()

    const at = this.#seen % KEPT_BYTES
    const end =
      this.#seen <= KEPT_BYTES
        ? this.#ring.subarray(0, kept)
        : Buffer.concat([this.#ring.subarray(at), this.#ring.subarray(0, at)])
    const missing = this.#seen - kept
    if (missing === 0) return Buffer.concat([start, end]).toString()

    return `${start.toString()}\n[${missing} bytes left out]\n${end.toString()}`
  }

  #addToRing(bytes: Buffer): void {
    if (bytes.length === 0) return

    this.#ring ??= Buffer.alloc(KEPT_BYTES)
    const skipped = Math.max(0, bytes.length - KEPT_BYTES)
    const last = bytes.subarray(skipped)
    const at = (this.#seen + skipped) % KEPT_BYTES
    const copied = last.copy(this.#ring, at)
    last.copy(this.#ring, 0, copied)
    this.#seen += bytes.length
  }
}

const KEPT_BYTES = 512 * 1024
