import { hasAnyCredential } from '../../gateway/secrets/credentials.ts'
import type { RunSettings } from '../../settings.ts'

/** Whether any case of a run could be answered by a live API. */
export function isLiveAllowed({
  source,
  liveBlockedReason,
}: Pick<RunSettings, 'liveBlockedReason' | 'source'>): boolean {
  if (source !== 'auto') return source !== 'replay'
  return liveBlockedReason === null && hasAnyCredential(process.env)
}
