import { AgentEvalsError, type ErrorCode } from '../../errors.ts'

/** Where a test called something of ours: the frames of its stack, ours left out. */
export interface CallPlace {
  readonly frames: string
}

/** The place from which a function was called. Call it before anything is awaited. */
export function placeOfCall(called: (...args: never[]) => unknown): CallPlace {
  const trace = { stack: '' }
  Error.captureStackTrace(trace, called)
  return { frames: trace.stack.slice(trace.stack.indexOf('\n') + 1) }
}

/** An error that names the line of the test instead of one of ours. */
export function errorAt(place: CallPlace, code: ErrorCode, message: string): AgentEvalsError {
  return moved(place, new AgentEvalsError(code, message))
}

/** The same error as of that place, where it is one of ours: what nobody foresaw keeps its stack. */
export function movedTo(place: CallPlace, error: unknown): unknown {
  return error instanceof AgentEvalsError ? moved(place, error) : error
}

function moved({ frames }: CallPlace, error: AgentEvalsError): AgentEvalsError {
  error.stack = `${error.name}: ${error.message}\n${frames}`
  return error
}
