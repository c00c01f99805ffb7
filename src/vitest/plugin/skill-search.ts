import { resolve } from 'node:path'
import { AgentEvalsError } from '../../errors.ts'
import { pathBelow } from '../../packages/package-root.ts'
import type { SkillSearch } from '../../suites/skills/skill-suites.ts'
import type { ResolvedOptions } from '../../options/options.ts'

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
