/** What decided a run of a trigger query. */
export interface RunDecision {
  readonly by: DecidedBy
  /** Why the first turn alone did not; `null` where it did, or was not to. */
  readonly because: string | null
  /** What a probe and a full run of its own came to, where both were asked for. */
  readonly agrees?: boolean
  /** It is decided by nothing: only the first turn was to be looked at, and that says too little. */
  readonly undecided?: true
}

/** The first model turn alone, the first turn and the session that went on with it, or a session of its own. */
export type DecidedBy = 'full' | 'probe' | 'probe+full'

/** Why a run whose first turn alone is looked at is neither a hit nor a miss, as a sentence. */
export function describeUndecided(because: string | null): string {
  return `The first turn does not decide this run: ${because ?? 'unknown'}.`
}
