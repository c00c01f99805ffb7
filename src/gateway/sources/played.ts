import { createReplaySource } from './replay.ts'
import { createScenarioSource } from './scenario.ts'
import type { EngineTraffic } from '../../conversation/traffic.ts'
import type { AnswerSource, CredentialKind } from '../leases/lease.ts'
import type { Source } from './source.ts'

/** A source that answers by itself. */
export interface PlayedSource {
  readonly source: Source
  /** Kind of credential that a session with these answers gets. */
  readonly credential: CredentialKind
}

/** Plays a recording or a scenario; `null` where a model is asked. */
export function createPlayedSource(asked: AnswerSource, traffic: readonly EngineTraffic[]): PlayedSource | null {
  if (asked.kind === 'replay') return { source: createReplaySource(asked, traffic), credential: asked.credential }
  // The same kind on every machine, so that a scenario sees the same CLI everywhere.
  if (asked.kind === 'scenario') return { source: createScenarioSource(asked.scenario, traffic), credential: 'api-key' }
  return null
}
