/** A text of src that a person may read. */
export interface Message {
  /** Relative to the repository. */
  readonly file: string
  readonly line: number
  /** What is filled in is `…`. */
  readonly text: string
}

export declare function collectMessages(folder?: string): readonly Message[]

export declare function collectTexts(folder?: string): readonly Message[]
