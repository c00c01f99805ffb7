import { compareTexts } from '../../texts.ts'
import { findFiles } from '../discover.ts'
import { indexSkills } from './skill-index.ts'
import type { KnownSkill } from '../suite.ts'

/** The skills of a repository that can be installed together. */
export interface InstallableSkills {
  /** One of each name, sorted. */
  readonly skills: readonly KnownSkill[]
  /** Those whose name one of them has. */
  readonly others: readonly KnownSkill[]
}

/** Finds the skills below a root that are worked on; of several with one name the first counts. */
export async function findSkills(root: string): Promise<InstallableSkills> {
  const all = await indexSkills(await findFiles(root, ['**/SKILL.md'], NOT_SKILLS), root)
  const own = all.filter(({ tier }) => tier === 0)
  const first = new Map<string, KnownSkill>()
  for (const skill of own) if (!first.has(skill.name)) first.set(skill.name, skill)
  const skills = [...first.values()].toSorted((a, b) => compareTexts(a.name, b.name))
  return { skills, others: own.filter((skill) => first.get(skill.name) !== skill) }
}

/** Folders that hold no skill of a repository. */
export const NOT_SKILLS: readonly string[] = ['.git', '.vitest', '.venv', 'node_modules'].map(
  (folder) => `**/${folder}/**`,
)
