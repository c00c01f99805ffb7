import { stringOf } from '../../json-fields.ts'
import { isSandboxDenial } from '../stream/sandbox-denial.ts'
import type { JsonObject } from '../../json.ts'
import type { Blocker } from '../../transcript/transcript.ts'

/** Who stopped a call, from the error of its result and the notes on it; `null` when it ran, however it ended. */
export function blockerOf(error: JsonObject, text: string, isError: boolean): Blocker | null {
  if (!isError) return null
  if (error['code'] === 'denied') return HOOK.test(stringOf(error['message'])) ? 'hook' : 'permission'
  return isSandboxDenial(text) ? 'sandbox' : null
}

const HOOK = /^(?:Denied by \w+ hook|Permission denied by a \w+ hook|Tool result blocked:)/
