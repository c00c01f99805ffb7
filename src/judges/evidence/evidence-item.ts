/** Who wrote a text: the test system, the agent in a message, the agent as the input of a call, a tool, a hook, or a file. */
export type Author = 'agent' | 'call' | 'file' | 'hook' | 'system' | 'tool'

/** One event of a run, one message or one file, as a judge is shown it. */
export interface EvidenceItem {
  /** The test system's name for it, such as `e12`: e an event, m a message, c a change on disk, f a file, r how the run ended. */
  readonly id: string
  /** `output`, `transcript` or the path of a file. */
  readonly place: string
  /** Our line about it; `null` where there is none. */
  readonly head: string | null
  /** Whether our line says what happened, rather than only what follows. */
  readonly isFact: boolean
  /** Text of another author; `null` where there is only our line. */
  readonly body: string | null
  readonly author: Author
  /** Texts that the agent gave to the call; absent where it is neither a call nor what came of one. */
  readonly given?: readonly string[]
}

/** A text in pieces: what is shown, and how many characters are left out in between. */
export type Piece = number | string

/** An item with the part of it that fits. */
export interface ShownItem extends EvidenceItem {
  readonly pieces: readonly Piece[]
}

/** What a judge is shown of one place. */
export interface ShownSection {
  readonly shown: readonly ShownItem[]
  readonly leftOut: readonly EvidenceItem[]
}

/** Everything that a judge is shown of a run. */
export interface ShownEvidence {
  readonly transcript: ShownSection
  readonly output: ShownSection
  readonly files: ShownSection
  /** Paths that the run changed and whose contents could not be read as text. */
  readonly unread: readonly string[]
}
