import { parseScenario } from '../../src/gateway/sources/load-scenario.ts'
import type { LeaseRequest } from '../../src/gateway/leases/lease.ts'
import type { Scenario } from '../../src/gateway/sources/scenario-file.ts'

/** A scenario from its text; the line numbers are those of the text. */
export function scenarioOf(yaml: string): Scenario {
  const { scenario, issues } = parseScenario(yaml, '/package/evals/scenarios/case.yaml')
  if (scenario === null) throw new Error(JSON.stringify(issues, null, 2))
  return scenario
}

/** What a worker asks for. */
export function askFor(source: LeaseRequest['source'] | string): LeaseRequest {
  return {
    caseId: 'evals/cases/case.yaml#case',
    wire: 'anthropic-messages',
    source: typeof source === 'string' ? { kind: 'scenario', scenario: scenarioOf(source) } : source,
  }
}
