import type { MockCall } from '../suites/formats/plugin-eval/model.ts'
import type { AgentRun } from '../transcript/agent-run.ts'

/** What graders look at: a run, and what was kept of its workspace. */
export interface GradedRun {
  readonly run: Pick<AgentRun, 'files' | 'trace' | 'transcript'>
  /** Files of the workspace that graders name, by path as written. */
  readonly files: ReadonlyMap<string, TargetFile>
  /** Calls of mocked tools; `null` where no server of the run was mocked. */
  readonly mockCalls: readonly NamedMockCall[] | null
}

/** A call of a mocked tool; `tool` is the name by which the agent calls it. */
export type NamedMockCall = Pick<MockCall, 'input' | 'output' | 'tool' | 'verdict'>

/** A file that a grader names. */
export type TargetFile =
  /**
   * `binary`: why a judge cannot be shown it, as a sentence without its subject. `missing`: why this is not all of it, as
   * a clause; a pattern that is not in it decides nothing then. `unsure`: lines that may belong to it as well.
   */
  | {
      readonly kind: 'text'
      readonly text: string
      readonly binary?: string
      readonly missing?: string
      readonly unsure?: readonly string[]
    }
  | { readonly kind: 'image'; readonly mediaType: ImageType; readonly base64: string }
  /** Why there is nothing to look at, as a sentence without its subject. */
  | { readonly kind: 'none'; readonly problem: string }
  /** What is there cannot be read: why, as a clause. */
  | { readonly kind: 'unknown'; readonly problem: string }

/** Images that a judge can be shown. */
export type ImageType = 'image/gif' | 'image/jpeg' | 'image/png' | 'image/webp'
