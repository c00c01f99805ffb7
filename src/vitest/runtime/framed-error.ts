import { frameOf } from '../source-frame.ts'
import type { AgentEvalsError, ErrorPlace } from '../../errors.ts'

/**
 * An error that Vitest shows at its place, such as a line of a scenario; unchanged without one. Vitest itself frames only
 * files that it has loaded as modules.
 */
export function framedError(error: AgentEvalsError, at: ErrorPlace | undefined): AgentEvalsError {
  if (at === undefined) return error
  error.stack = `${error.name}: ${error.message}\n    at ${at.file}:${at.line}:${at.column}`
  return Object.assign(error, { codeFrame: frameOf(at) })
}
