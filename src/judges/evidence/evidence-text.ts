/** A text in the workspace of a run. */
export interface EvidenceText {
  /** Its path. */
  readonly name: string
  readonly text: string
}
