import { join } from 'node:path'
import { linkOnTheWay } from '../files.ts'
import { ownEntries } from '../process/git.ts'
import { listRuns, readRunEnd, readRunFolder, runsFolder, type RunFolder } from './run-folder.ts'
import { isRunning } from './run-plan.ts'

/** The run folders of a Vitest root that can be read, oldest first. */
export function listRunFolders(root: string): readonly RunFolder[] {
  return ownRuns(root)
    .map(readRunFolder)
    .filter((folder) => folder !== null)
    .filter(({ plan }) => plan.root === root)
}

// What run folders say decides where files are written and what has passed.
function ownRuns(root: string): readonly string[] {
  const parent = runsFolder(root)
  if (linkOnTheWay(root, parent) !== null) return []
  return ownEntries(parent, listRuns(parent)).map((run) => join(parent, run))
}

/** The runs that ended without a word: killed, out of memory, or the machine went down. Oldest first. */
export function findLostRuns(root: string): readonly RunFolder[] {
  return listRunFolders(root).filter(({ path, plan }) => readRunEnd(path) === null && !isRunning(plan.process))
}
