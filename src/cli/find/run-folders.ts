import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { AgentEvalsError, messageOf } from '../../lib/errors.ts'
import { codeOf } from '../../lib/files.ts'
import { readRunFolder, type RunFolder } from '../../report/results/run-folder.ts'

/**
 * Finds the run folders in a folder: itself, or those below it, as an artifact of a CI job holds them.
 *
 * @throws {AgentEvalsError} `no-match` when there are none.
 */
export function findRunFolders(folder: string): readonly RunFolder[] {
  const found = search(folder, DEPTH)
  if (found.length > 0) return found
  throw new AgentEvalsError(
    'no-match',
    `${folder} contains no run. Name a folder of .vitest/agent-evals, or one that such folders were copied to.`,
  )
}

function search(folder: string, depth: number): readonly RunFolder[] {
  const own = readRunFolder(folder)
  if (own !== null) return [own]
  if (depth === 0) return []
  return subfolders(folder).flatMap((name) => search(join(folder, name), depth - 1))
}

function subfolders(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true })
    return entries
      .flatMap((entry) => (entry.isDirectory() && entry.name !== 'node_modules' ? [entry.name] : []))
      .toSorted()
  } catch (error) {
    const reason = messageOf(error)
    if (codeOf(error) === 'ENOENT')
      throw new AgentEvalsError('no-match', `There is no folder ${folder}.`, { cause: error })
    throw new AgentEvalsError('no-match', `${folder} cannot be read: ${reason}`, { cause: error })
  }
}

// Artifacts, a job, .vitest, agent-evals, the run.
const DEPTH = 5
