import { basename } from 'node:path'
import { pathFrom } from '../packages/package-root.ts'
import { AgentEvalsError } from '../errors.ts'
import { sumOf } from '../lists.ts'
import { whyHidden } from '../suites/hidden-paths.ts'
import { listTree, type Tree } from './list-tree.ts'
import type { ProjectLimits } from './project-files.ts'

/**
 * Lists what of an overlay is laid over a workspace. A suite may name any folder of the project as one: answers and secrets
 * in it stay out, and are among `skipped`.
 *
 * @throws {AgentEvalsError} `workspace-failed` when there is too much of it.
 */
export function listOverlay(
  overlay: string,
  projectRoot: string,
  limits: ProjectLimits = DEFAULT_LIMITS,
): Pick<Tree, 'files' | 'links' | 'skipped'> {
  const place = pathFrom(projectRoot, overlay)
  const hidden = new Map<string, string>()
  const exclude = (path: string): boolean => {
    const why = whyHidden(`${place}/${path}`)
    if (why !== null && basename(path) !== '.git') hidden.set(path, why)
    return why !== null
  }
  const { files, links, skipped, truncated } = listTree(overlay, { exclude, maxFiles: limits.files + 1 })
  if (truncated || files.length > limits.files)
    throw tooLarge(place, `more than ${limits.files.toLocaleString('en')} files`)
  if (sumOf(files, ({ size }) => size) > limits.bytes)
    throw tooLarge(place, `more than ${limits.bytes / 1_048_576} MiB`)
  return { files, links, skipped: [...skipped, ...[...hidden].map(([path, reason]) => ({ path, reason }))] }
}

const DEFAULT_LIMITS: ProjectLimits = { files: 10_000, bytes: 536_870_912 }

function tooLarge(place: string, what: string): AgentEvalsError {
  return new AgentEvalsError(
    'workspace-failed',
    `The overlay ${JSON.stringify(place)} has ${what}, and each run gets a copy. Use a smaller fixture.`,
  )
}
