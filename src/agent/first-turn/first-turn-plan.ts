import type { AgentRun } from '../../transcript/agent-run.ts'
import type { RunSettings } from '../../settings.ts'
import type { Eligibility } from './why-full.ts'
import type { TemplateScope } from './template.ts'

/** How a run of a trigger query is to be decided. */
export interface FirstTurnPlan extends Omit<Eligibility, 'verifies'>, TemplateScope {
  readonly mode: RunSettings['triggers']
  /** Whether the use of a skill decides the query. */
  readonly isSubject: (skill: string) => boolean
  /** Whether a run has used it; `null` where the run does not count. */
  readonly hasFired: (run: AgentRun) => boolean | null
}
