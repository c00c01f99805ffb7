import { lstatSync } from 'node:fs'
import { basename, join } from 'node:path'
import { linkOnTheWay } from '../files.ts'
import { askGitNow, gitPaths } from '../process/git.ts'
import { listRuns, readRunEnd, readRunFolder, RUNS, runsFolder, type RunFolder } from './run-folder.ts'
import { isRunning } from './run-plan.ts'

/** The run folders of a Vitest root that can be read, oldest first. */
export function listRunFolders(root: string): readonly RunFolder[] {
  return ownRuns(root)
    .map(readRunFolder)
    .filter((folder) => folder !== null)
    .filter(({ plan }) => plan.root === root)
}

// A repository may bring run folders, and what they say decides where files are written and what has passed.
function ownRuns(root: string): readonly string[] {
  const parent = runsFolder(root)
  if (linkOnTheWay(root, parent) !== null) return []
  const paths = listRuns(parent)
    .map((run) => join(parent, run))
    .filter(isOwnFolder)
  if (paths.length === 0) return []
  const tracked = gitPaths(askGitNow(root, ['ls-files', '-z', '--cached', '--', RUNS]))
  const names = new Set(tracked.map((path) => path.split('/')[RUNS.split('/').length]))
  return paths.filter((path) => !names.has(basename(path)))
}

function isOwnFolder(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found?.isDirectory() === true && (process.getuid === undefined || found.uid === process.getuid())
}

/** The runs that ended without a word: killed, out of memory, or the machine went down. Oldest first. */
export function findLostRuns(root: string): readonly RunFolder[] {
  return listRunFolders(root).filter(({ path, plan }) => readRunEnd(path) === null && !isRunning(plan.process))
}
