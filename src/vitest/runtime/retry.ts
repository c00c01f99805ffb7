import { isJsonObject } from '../../json.ts'

/** Whether an attempt that ended with this error may be run again: only what could not be completed. */
export function isRetryable(error: unknown): boolean {
  return isJsonObject(error) || error instanceof Error
    ? (error as { name?: unknown }).name === 'AgentEvalsError'
    : false
}
