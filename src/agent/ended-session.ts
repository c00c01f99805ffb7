import type { Workspace } from '../workspace/create-workspace.ts'

/** A session that another run can go on with. */
export interface EndedSession {
  readonly workspace: Workspace
  /** As the engine calls it. */
  readonly sessionId: string
}
