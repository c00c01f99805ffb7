/** Why a process did not start. */
export interface SpawnError {
  /** Such as `ENOENT`. */
  readonly code: string
  readonly message: string
}

/** Whether the machine, or a limit on it, had nothing left for one more process. */
export function isOutOfResources({ code }: SpawnError): boolean {
  return ['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM'].includes(code)
}

/** Reads what spawning threw or rejected with. */
export function toSpawnError(error: unknown): SpawnError {
  if (!(error instanceof Error)) return { code: 'UNKNOWN', message: String(error) }

  const { code, originalMessage } = error as Error & {
    readonly code?: unknown
    readonly originalMessage?: unknown
  }
  return {
    code: typeof code === 'string' ? code : 'UNKNOWN',
    message: typeof originalMessage === 'string' ? originalMessage : error.message,
  }
}
