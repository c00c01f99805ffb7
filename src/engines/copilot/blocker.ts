import { stringOf } from '../../json-fields.ts'
import { isSandboxDenial } from '../sandbox-denial.ts'
import type { JsonObject } from '../../json.ts'
import type { Blocker } from '../../transcript/transcript.ts'

/** Who stopped a call, from the error of its result and what was said of it; `null` when it ran, however it ended. */
export function blockerOf(error: JsonObject, text: string, isError: boolean): Blocker | null {
  if (!isError) return null
  const message = stringOf(error['message'])
  if (error['code'] === 'denied') return /^Denied by \w+ hook\b/.test(message) ? 'hook' : 'permission'
  return isSandboxDenial(text) ? 'sandbox' : null
}
