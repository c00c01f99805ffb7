import { createCaseFolder, keepEvidence, type CaseFolder } from './case-folder.ts'
import { keepChangedFiles, type LeftFile } from './kept-files.ts'
import type { FileChanges } from '../transcript/agent-run.ts'
import type { Redactor } from './redact.ts'
import type { PlannedCase } from './result.ts'

/** The evidence of one run, as it is gathered. What the disk cannot take costs the evidence and not the result. */
export interface RunEvidence {
  readonly folder: CaseFolder
  /** What could not be kept, one sentence each. */
  readonly lost: readonly string[]
  /** Copies what a run left in its workspace; `root` is the absolute path of that. */
  keepArtifacts(root: string, changes: FileChanges): Promise<void>
  /** Lets something be written into the folder. */
  keep(write: (folder: CaseFolder, redactor: Redactor) => void): Promise<void>
}

/** Where the runs of a Vitest run are kept. */
export interface EvidencePlace {
  /** Absolute path of the Vitest root. */
  readonly root: string
  /** Absolute path of the run folder. */
  readonly runFolder: string
  /** @default the built-in ones */
}

/**
 * Creates the folder for the evidence of one run of a case; `index` counts them from 1.
 *
 * @throws {AgentEvalsError} `report-unwritable` when there can be none.
 */
export function openEvidence(
  { root, runFolder }: EvidencePlace,
  planned: PlannedCase,
  index: number,
  redactor: Redactor,
): RunEvidence {
  const folder = createCaseFolder(root, runFolder, planned, index)
  const lost: string[] = []
  const keep: RunEvidence['keep'] = async (write) => {
    lost.push(...(await keepEvidence(() => write(folder, redactor))))
  }
  return {
    folder,
    lost,
    keep,
    async keepArtifacts(workspace, changes) {
      const request = { root: workspace, changes, to: folder.artifacts, redactor }
      const unstored = await keepEvidence(async () => {
        lost.push(...describeLeft(await keepChangedFiles(request)))
      })
      lost.push(...unstored)
    },
  }
}

function describeLeft(missed: readonly LeftFile[]): readonly string[] {
  if (missed.length === 0) return []
  const shown = missed.slice(0, MOST_SHOWN).map(({ path, reason }) => `${path} ${reason}`)
  const more = missed.length > MOST_SHOWN ? [`and ${missed.length - MOST_SHOWN} more`] : []
  return [`Not among the artifacts: ${[...shown, ...more].join('; ')}.`]
}

const MOST_SHOWN = 3
