import { dirname } from 'node:path'
import { joinLoaded } from '../../packages/finding.ts'
import { loadOneSkill, loadSkills } from '../../packages/skills.ts'
import type { TrackedFs } from '../../documents/tracked-fs.ts'
import { barePackage, type AgentPackage } from '../../packages/package.ts'
import type { SkillTrial } from './skill-trial.ts'
import type { SkillUnderTest } from '../suite.ts'

/** What is installed for the cases of a skill. */
export interface SkillPackageRequest {
  /** The package that owns the suite. */
  readonly package: AgentPackage
  readonly skill: Pick<SkillUnderTest, 'dir' | 'name' | 'projectRoot'>
  /** A trigger query sees the skill beside its siblings, and nothing else of the package. */
  readonly isTrigger: boolean
  /** Skills that a trigger query sees instead of its siblings. */
  readonly trial?: SkillTrial | null
}

/**
 * The package as a case of one skill gets it. An artifact case gets the whole package that holds the skill, and only the
 * skill where it is in none: what else it needs is what overlays are for.
 */
export async function loadSkillPackage(request: SkillPackageRequest, fs: TrackedFs): Promise<AgentPackage> {
  const { package: pkg, skill, isTrigger, trial = null } = request
  if (!isTrigger && pkg.skills.some(({ dir }) => dir === skill.dir)) return pkg
  const hasSiblings = isTrigger && skill.dir !== skill.projectRoot
  const folder = hasSiblings ? dirname(skill.dir) : skill.dir
  const { parts, findings } =
    isTrigger && trial !== null
      ? joinLoaded(await Promise.all(trial.skills.map(({ dir, name }) => loadOneSkill(dir, name, fs))))
      : hasSiblings
        ? await loadSkills(folder, fs)
        : await loadOneSkill(skill.dir, skill.name, fs)
  return barePackage({
    root: folder,
    reportRoot: pkg.root,
    skills: parts,
    // A folder beside the skill that is none, or a broken sibling, is no fault of the case.
    findings: findings.map((finding) =>
      finding.part?.name === skill.name ? finding : { ...finding, severity: 'warning' as const },
    ),
  })
}
