import { sha256 } from '../../lib/sha256.ts'
import { isPackageInput } from '../../session/inputs/collect.ts'
import type { Run } from '../context.ts'
import type { PreparedRun } from '../replay/run-recorded.ts'

/** Hash of everything that decides how a case comes out, but for the model's own mood. Two equal ones may share a result. */
export function resultKey(
  { planned, suite, evalCase, settings, index, recorded = index }: Run,
  prepared: PreparedRun,
): string {
  const { request, source, inputs } = prepared
  const decisive = {
    // Cases of two packages may have one id.
    case: [planned.packageRoot, planned.id, recorded],
    engine: [planned.engineName, request.engine.executable, request.engine.version],
    evalCase,
    config: suite.config,
    inputs: inputs
      // The case and the suite's configuration are in here as what they say: a new comment changes nothing.
      .filter((input) => isPackageInput(input) || !['case', 'config'].includes(input.role))
      .map(({ path, role, hash }) => [path, role, hash]),
    source: [source.name, source.recording],
    model: request.model,
    deadlineMs: request.deadlineMs,
    sandbox: request.sandbox.enforced,
    judge: [settings.judge, settings.votes, settings.judgeFailedCases],
    drift: settings.drift,
    readOnlyFixtures: settings.readOnlyFixtures,
    hooks: settings.hooks,
  }
  return sha256(JSON.stringify(decisive, withoutPlaces))
}

/** Key of a query, which is asked several times. */
export function triggerKey(keys: readonly string[], threshold: number): string {
  return sha256(JSON.stringify([...keys, threshold]))
}

// A case that has moved down its file is the same case.
function withoutPlaces(name: string, value: unknown): unknown {
  return name === 'at' || name === 'promptAt' ? undefined : value
}
