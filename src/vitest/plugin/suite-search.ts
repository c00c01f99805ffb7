import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { placeBefore, type BeforeVersion } from '../../formats/before.ts'
import type { SkillSearch } from '../../formats/skill-evals/skill-suites.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import { isFile } from '../../lib/files.ts'
import type { ResolvedOptions } from '../../options/options.ts'
import { pathBelow } from '../../packages/package-root.ts'
import { createSuiteStore, type SuiteStore } from '../modules/suite-store.ts'

/** Where the evals of skills are looked for, as the options say. */
export function skillSearch(
  root: string,
  { evals, target, fields }: Pick<ResolvedOptions, 'evals' | 'fields' | 'target'>,
): SkillSearch {
  const skill = target !== null && target.startsWith('skill:') ? target.slice('skill:'.length) : null
  return { evals: evals === null ? null : resolve(root, evals), skill, fields }
}

/**
 * Where agents with golden tests are looked for.
 *
 * @throws {AgentEvalsError} `invalid-options` for a folder outside the Vitest root, whose tests no project could hold.
 */
export function agentsRootOf(root: string, { agentsRoot }: Pick<ResolvedOptions, 'agentsRoot'>): string {
  const path = resolve(root, agentsRoot ?? '.')
  if (path === root || pathBelow(root, path) !== null) return path
  throw new AgentEvalsError(
    'invalid-options',
    `\`agentsRoot\` names ${path}, which is outside the Vitest root ${root}. Use a --root that contains both.`,
  )
}

/**
 * The suites of the version that a run is compared with, as far as they are below its root; `null` where it lacks the
 * folder in which the options look for them.
 */
export function storeOfVersion(version: BeforeVersion, options: ResolvedOptions): SuiteStore | null {
  const now = resolve(options.root ?? version.now)
  const root = placeBefore(version, now) ?? version.root
  const placed = (path: string | null): string | null =>
    path === null ? null : (placeBefore(version, resolve(now, path)) ?? path)
  const placedOptions = { ...options, evals: placed(options.evals), agentsRoot: placed(options.agentsRoot) }
  if ([placedOptions.evals, placedOptions.agentsRoot].some((path) => path !== null && !existsSync(path))) return null
  return createSuiteStore(root, skillSearch(root, placedOptions), agentsRootOf(root, placedOptions), placedOptions)
}

/** Whether a version is run as well; a report to compare with is a file. */
export function isComparedWithVersion({ against }: Pick<ResolvedOptions, 'against'>): boolean {
  return against !== null && !isFile(resolve(against))
}
