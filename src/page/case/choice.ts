/** One run of one case. */
export interface Choice {
  /** Of the case. */
  readonly key: string
  /** From 1. */
  readonly run: number
}

/** Reads a run from an address, `<key>:<run>`; `null` when there is none. */
export function parseChoice(text: string | undefined): Choice | null {
  const [, key, run] = /^(.+):(\d+)$/.exec(text ?? '') ?? []
  return key === undefined ? null : { key, run: Number(run) }
}

/** A run as an address holds it. */
export function formatChoice({ key, run }: Choice): string {
  return `${key}:${run}`
}
