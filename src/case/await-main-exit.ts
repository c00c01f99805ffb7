import { setTimeout as sleep } from 'node:timers/promises'
import type { CaseResult } from '../report/results/result.ts'

/**
 * Waits where the gateway is gone, since mostly the main process is gone with it. Then this one ends in a moment too, and
 * nothing is written of a case that was interrupted or never begun: it must not look as if it had broken.
 */
export async function awaitMainExit(error: CaseResult['error']): Promise<void> {
  if (error?.code === 'gateway-unavailable') await sleep(MOMENT_MS)
}

const MOMENT_MS = 3000
