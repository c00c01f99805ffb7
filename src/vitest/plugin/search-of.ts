import { resolve } from 'node:path'
import type { SkillSearch } from '../../suites/skill-places.ts'
import type { ResolvedOptions } from './options.ts'

/** Where the evals of skills are looked for, as the options say. */
export function searchOf(root: string, { evals, target }: Pick<ResolvedOptions, 'evals' | 'target'>): SkillSearch {
  const skill = target !== null && target.startsWith('skill:') ? target.slice('skill:'.length) : null
  return { evals: evals === null ? null : resolve(root, evals), skill }
}
