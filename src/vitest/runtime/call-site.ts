import { pathToFileURL } from 'node:url'
import { AgentEvalsError, withRemedy, type ErrorCode } from '../../lib/errors.ts'
import type { Position } from '../../lib/documents/document.ts'
import { ownFile } from '../../own-folder.ts'

/** Where a test called something of ours: the frames of its stack, ours left out. */
export interface CallSite {
  readonly frames: string
}

/** The place from which a function was called. Call it before anything is awaited. */
export function callSiteOf(called: (...args: never[]) => unknown): CallSite {
  const trace = { stack: '' }
  const { stackTraceLimit } = Error
  // A test may call by way of functions of its own.
  Error.stackTraceLimit = MOST_FRAMES
  Error.captureStackTrace(trace, called)
  Error.stackTraceLimit = stackTraceLimit
  const [, ...frames] = trace.stack.split('\n')
  return { frames: frames.filter((frame) => !frame.includes(OWN_FOLDER)).join('\n') }
}

const OWN_FOLDER = ownFile('./')

const MOST_FRAMES = 50

/** The innermost of its lines that is in this file; `null` when none is. */
export function positionIn({ frames }: CallSite, file: string): Position | null {
  const names = [file, pathToFileURL(file).href]
  for (const frame of frames.split('\n')) {
    const name = names.find((one) => frame.includes(`${one}:`))
    const [, line, column] = /^(\d+):(\d+)/.exec(name === undefined ? '' : (frame.split(`${name}:`)[1] ?? '')) ?? []
    if (line !== undefined && column !== undefined) return { line: Number(line), column: Number(column) }
  }
  return null
}

/** An error that names the line of the test instead of one of ours. */
export function errorAt(site: CallSite, code: ErrorCode, message: string): AgentEvalsError {
  return moved(site, new AgentEvalsError(code, message))
}

/** The same error as of that place, where it is one of ours: unexpected errors keep their stack trace. */
export function movedTo(site: CallSite, error: unknown): unknown {
  if (!(error instanceof AgentEvalsError)) return error
  return error.remedy === undefined ? moved(site, error) : errorAt(site, error.code, withRemedy(error))
}

function moved({ frames }: CallSite, error: AgentEvalsError): AgentEvalsError {
  error.stack = `${error.name}: ${error.message}\n${frames}`
  return error
}
