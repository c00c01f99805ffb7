import { collectInputs, type InputsRequest } from '../../inputs/collect.ts'
import { changedInputs } from '../../recordings/stale.ts'
import { upstreamKind } from '../../gateway/leases/lease.ts'
import type { InputCache } from '../../inputs/input-cache.ts'
import type { PlayedSource } from '../../replay/played-source.ts'

/**
 * Whether a case that is played from a recording may ask a model all the same: a file has changed of which its model saw a
 * text, or what its judge is asked. Only the replay shows whether it does.
 *
 * @param judge - model of the judge; `null` where none is known before the run.
 */
export async function mayGoLive(
  { recording, whenStale, rejudge }: Pick<PlayedSource, 'recording' | 'rejudge' | 'whenStale'>,
  asked: InputsRequest,
  judge: string | null,
  cache: InputCache,
): Promise<boolean> {
  if (recording === null) return false
  const mayRecord = whenStale !== null && upstreamKind(whenStale.answers) === 'live'
  const mayJudge = rejudge?.kind === 'live' && recording.judge !== null
  if (!mayRecord && !mayJudge) return false
  if (mayJudge && judge !== null && judge !== recording.judge?.hash.model) return true
  const changed = changedInputs(recording, await collectInputs(asked, cache))
  const seen = recording.lanes.flatMap(({ turns }) => turns.flatMap(({ sees }) => sees.map(({ path }) => path)))
  return (
    (mayRecord && seen.some((path) => changed.has(path))) ||
    (mayJudge && recording.inputs.some(({ path, role }) => QUESTIONS.has(role) && changed.has(path)))
  )
}

/** Files that hold what a judge is asked. */
const QUESTIONS: ReadonlySet<string> = new Set(['case', 'config'])
