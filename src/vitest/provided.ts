import type { AssertSettings } from '../assert/request.ts'
import type { RunSettings } from '../settings.ts'

/** What a finished case leaves on its test for reporters and editors; the rest is in the journal. */
export interface CaseMeta {
  /** `<suite file>#<case id>`. */
  id: string
  outcome: string
  /** What was left out for comparison; such a test never fails the run. */
  arm?: 'without_skill'
  /** Folder of the run below the Vitest root; `null` when no run was started. */
  folder: string | null
}

declare module 'vitest' {
  interface ProvidedContext {
    agentEvals: RunSettings
    agentAsserts: AssertSettings
  }
  interface TaskMeta {
    agentEvals?: CaseMeta
    /** Hash of the code of a test in TypeScript. */
    agentEvalsCode?: string
  }
}
