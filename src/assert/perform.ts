import type { Output } from './output.ts'

/** What came of running a test, before its expectations are looked at. */
export type Performed =
  | { readonly kind: 'ended'; readonly output: Output }
  | { readonly kind: 'skipped'; readonly reason: string }
  /** The subject did wrong in a way that leaves nothing to check. */
  | {
      readonly kind: 'broken'
      readonly message: string
      readonly expected: string
      readonly actual: string
      readonly output: Output | null
    }

/** The end of what did not end by itself. */
export function timedOut(seconds: number, what: string, output: Output): Performed {
  return {
    kind: 'broken',
    message: `expected ${what} to end within ${seconds} s but it was still running and was killed`,
    expected: `ends within ${seconds} s`,
    actual: 'still running',
    output,
  }
}
