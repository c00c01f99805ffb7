import { hasAnyCredential } from '../../gateway/credentials.ts'
import type { RunSettings } from '../../settings.ts'

/** Whether any case of a run could be answered by a live API. */
export function mayGoLive({ source, liveForbidden }: Pick<RunSettings, 'liveForbidden' | 'source'>): boolean {
  if (source !== 'auto') return source !== 'replay'
  return liveForbidden === null && hasAnyCredential(process.env)
}
