import type { ErrorCode } from '../../errors.ts'
import type { LeaseGrant } from './lease.ts'

/** One line of the stream that is a lease: what the gateway tells the worker. */
export type LeaseNews =
  | { readonly granted: LeaseGrant }
  | { readonly refused: { readonly code: ErrorCode; readonly message: string } }
  /** The run must stop: cancelled, or the gateway closes. */
  | { readonly abort: string }
