import { hasAnyCredential } from '../../gateway/secrets/credentials.ts'
import type { RunSettings } from '../../settings.ts'

/** Whether any case of a run could be answered by a live API. */
export function isLiveAllowed({
  source,
  liveBlockedReason,
  requireLive,
}: Pick<RunSettings, 'liveBlockedReason' | 'requireLive' | 'source'>): boolean {
  if (source !== 'auto') return source !== 'replay'
  return (liveBlockedReason === null || requireLive?.blockedReason === null) && hasAnyCredential(process.env)
}
