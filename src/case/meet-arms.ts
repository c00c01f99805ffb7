import { inItsVersion } from '../formats/before.ts'
import type { Run } from './context.ts'

/** Whether a case runs with another version of its package too, which has what the case is about. */
export function hasOtherArm({ suite, evalCase, settings }: Pick<Run, 'evalCase' | 'settings' | 'suite'>): boolean {
  if (settings.before === undefined || suite.before !== undefined) return suite.before !== undefined
  const other = inItsVersion({ suite, evalCase: { ...evalCase, arm: 'variant' } }, settings)
  return other.evalCase.skipped === undefined
}

/**
 * Resolves when the same run of the other arm has come here too, so that both ask in the same moment: one arm takes longer
 * to prepare, and the time of day and rate limits have to hit both alike. Whoever meets nobody goes on after a while.
 *
 * @param label - of the run, with its arm: `a.json#a@variant (run 2)`.
 * @param signal - of the run: one that is cancelled waits no longer.
 */
export function meetOtherArm(label: string, signal: AbortSignal): Promise<void> {
  const place = label.replace(VARIANT, '')
  const other = waiting.get(place)
  other?.()
  if (other !== undefined || signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const goOn = (): void => {
      clearTimeout(patience)
      signal.removeEventListener('abort', goOn)
      resolve()
    }
    const patience = setTimeout(goOn, PATIENCE_MS)
    signal.addEventListener('abort', goOn)
    waiting.set(place, goOn)
  })
}

/** What lets the arm that came first go on, by run. It stays: who comes again, or alone and late, waits for nobody. */
const waiting = new Map<string, () => void>()

const VARIANT = /@variant(?= \(run \d+\)$|$)/
const PATIENCE_MS = 20_000
