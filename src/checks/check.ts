import type { Position } from '../documents/issue.ts'

/** How a deterministic check came out. `errored`: the evidence it needs is missing. */
export interface CheckResult {
  readonly kind: string
  readonly value: string | boolean
  readonly at: Position
  readonly outcome: 'passed' | 'failed' | 'errored'
  /** One sentence for a person; empty when passed. */
  readonly message: string
  /** For Vitest's diff. */
  readonly expected?: string
  readonly actual?: string
  /** Why the check itself proves little; absent when it is fine. */
  readonly weak?: string
}
