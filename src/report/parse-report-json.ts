import { isTooDeep } from '../documents/node.ts'

/** Parses the text of a report. Throws where it is not JSON, or nested so deeply that its readers could not end. */
export function parseReportJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  if (isTooDeep(value, MAX_LEVELS)) throw new Error(`it is nested deeper than ${MAX_LEVELS} levels`)
  return value
}

const MAX_LEVELS = 500
