import type { Position } from '../../documents/issue.ts'

/**
 * Answers with the place of a test where its stack is asked for, until the returned function is called: Vitest makes a
 * stack for each test, maps its ten frames, and takes the line of the test from the one that is of its file.
 */
export function showPlace(file: string, { line, column }: Position): () => void {
  const prepare: typeof Error.prepareStackTrace = Reflect.get(Error, 'prepareStackTrace')
  // Without one nothing is mapped.
  if (prepare === undefined) return () => {}
  Error.prepareStackTrace = (error, frames) => {
    const own = frames.find((frame) => frame.getFileName()?.endsWith(file) === true)?.getFileName()
    return own === undefined || own === null
      ? prepare(error, frames)
      : `${String(error)}\n    at ${own}:${line}:${column}`
  }
  return () => {
    Error.prepareStackTrace = prepare
  }
}
