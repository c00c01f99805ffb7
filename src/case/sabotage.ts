import { messageOf } from '../lib/errors.ts'
import type { CaseResult } from '../report/results/result.ts'
import type { AskedCase, Run, RunContext } from './context.ts'
import { planCase } from './plan/plan-case.ts'
import { steadyNow } from './result/build-result.ts'

/**
 * Plays a case about a hook that has passed once more, with its hook replaced by one that does nothing. A case that stays
 * green cannot fail, whatever becomes of the hook. It is played from its recording or scenario, so that it costs nothing.
 *
 * @param play - runs the case aside; the result is none of the run.
 */
export async function sabotage(
  { settings }: RunContext,
  { suite, evalCase, signal }: AskedCase,
  result: CaseResult,
  play: (run: Run) => Promise<CaseResult>,
): Promise<Pick<CaseResult, 'notices' | 'sabotage'> | null> {
  const { target } = evalCase
  if (target?.kind !== 'hook' || result.outcome !== 'passed') return null
  const id = `${result.id}@sabotaged`
  const played = await play({
    suite,
    evalCase,
    signal,
    planned: { ...planCase(suite, evalCase, settings), id },
    label: id,
    index: 1,
    startedAt: steadyNow(),
    // Drift is what is expected of it: only what the case itself checks counts.
    settings: { ...settings, source: 'replay', drift: 'warn' },
    sabotages: target.name,
  }).catch((error: unknown) => messageOf(error))
  if (typeof played !== 'string' && played.outcome === 'passed')
    return { sabotage: 'unnoticed', notices: [...result.notices, CANNOT_FAIL] }
  if (typeof played !== 'string' && played.runs.length > 0) return { sabotage: 'noticed', notices: result.notices }
  const why = typeof played === 'string' ? played : (played.reason ?? 'it did not run')
  return { sabotage: 'unknown', notices: [...result.notices, `Not sabotaged: ${why}`] }
}

const CANNOT_FAIL =
  'The case cannot fail: it stays green with a hook that does nothing. Check what the hook does, with agent-blocked, hook-output or files-created.'
