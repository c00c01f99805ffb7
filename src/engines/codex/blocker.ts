import { isSandboxDenial } from '../stream/sandbox-denial.ts'
import type { Blocker } from '../../transcript/transcript.ts'

/** Who stopped a call, from its result as the model got it; `null` when it ran, however it ended. */
export function blockerOf(text: string, isError: boolean): Blocker | null {
  if (!isError) return null
  if (/^Command blocked by \w+ hook: /m.test(text)) return 'hook'
  if (PERMISSION.test(text)) return 'permission'
  return isSandboxDenial(text) || SANDBOX.test(text) ? 'sandbox' : null
}

const PERMISSION =
  /\brejected: |Rejected\(|approval policy is never|requires approval|patch rejected|rejected by user|not permitted by policy/i
// Its own sandbox, which only a configuration of the user's own could turn on again.
const SANDBOX = /^bwrap: |failed in sandbox|codex-linux-sandbox/m
