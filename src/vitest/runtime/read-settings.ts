import { inject } from 'vitest'
import { AgentEvalsError } from '../../errors.ts'
import type { RunSettings } from '../../settings.ts'
import '../provided.ts'

/** The settings of this run, as the plugin gives them to every project. */
export function readSettings(): RunSettings {
  const settings = inject('agentEvals') as RunSettings | undefined
  if (settings !== undefined) return settings
  throw new AgentEvalsError(
    'invalid-options',
    'The fixture `agent` needs the plugin. Add agentEvals() to `plugins` of vitest.config.ts.',
  )
}
