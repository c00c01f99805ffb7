import { messageOf } from '../errors.ts'
import { runOnce } from './run-once.ts'
import type { CaseResult, PlannedCase } from '../results/result.ts'
import type { CaseRequest } from './case-request.ts'

/**
 * Plays a case about a hook that has passed once more, with its hook replaced by one that does nothing. A case that stays
 * green cannot fail, whatever becomes of the hook. It is played from its recording or scenario, so that it costs nothing.
 */
export async function sabotaged(
  request: CaseRequest,
  planned: PlannedCase,
  result: CaseResult,
): Promise<Pick<CaseResult, 'notices' | 'sabotage'> | null> {
  const { evalCase, journal } = request
  if (evalCase.target?.kind !== 'hook' || result.outcome !== 'passed') return null
  const played = await runOnce(
    {
      ...request,
      // Drift is what is expected of it: only what the case itself checks counts.
      settings: { ...request.settings, source: 'replay', drift: 'warn' },
      // It is no result of the run.
      journal: { ...journal, start: () => {} },
      earlier: undefined,
      sabotages: evalCase.target.name,
    },
    { ...planned, id: `${planned.id}@sabotaged` },
    { index: 1, of: 1 },
  ).catch((error: unknown) => messageOf(error))
  if (typeof played !== 'string' && played.outcome === 'passed')
    return { sabotage: 'unnoticed', notices: [...result.notices, CANNOT_FAIL] }
  if (typeof played !== 'string' && played.runs.length > 0) return { sabotage: 'noticed', notices: result.notices }
  const why = typeof played === 'string' ? played : (played.reason ?? 'it did not run')
  return { sabotage: 'unknown', notices: [...result.notices, `Not sabotaged: ${why}`] }
}

const CANNOT_FAIL =
  'The case cannot fail: it stays green with a hook that does nothing. Check what the hook does, with agent-blocked, hook-output or files-created.'
