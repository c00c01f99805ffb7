import { stringOf } from '../../json-fields.ts'
import type { JsonObject } from '../../json.ts'
import type { RunStatus } from '../../transcript/agent-run.ts'

/** How the CLI says the run went, from its last `result`; nothing when that is missing. */
export function readEnding(result: JsonObject | null): {
  readonly status: RunStatus | null
  readonly problem: string | null
} {
  if (result === null) return { status: null, problem: null }
  // An API failure says `subtype: success`: only `is_error` tells.
  if (result['is_error'] !== true) return { status: 'completed', problem: null }
  return { status: statusOf(result), problem: problemOf(result) }
}

function statusOf(result: JsonObject): RunStatus {
  const reason = result['terminal_reason']
  if (reason === 'max_turns' || reason === 'budget_exhausted') return 'limit-reached'
  if (stringOf(result['subtype']).startsWith('error_max_')) return 'limit-reached'
  if (reason === 'api_error' || typeof result['api_error_status'] === 'number') return 'api-error'
  return 'crashed'
}

function problemOf(result: JsonObject): string {
  const errors = Array.isArray(result['errors']) ? result['errors'].filter((error) => typeof error === 'string') : []
  if (errors.length > 0) return errors.join(' ')
  return stringOf(result['result']) || `The CLI ended with ${stringOf(result['subtype'])}.`
}
