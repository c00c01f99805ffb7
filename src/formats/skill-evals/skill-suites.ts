import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { TrackedFs } from '../../lib/documents/read-text.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import { followLinks } from '../../packages/follow-links.ts'
import { joinLoaded, barePackage, skillIn, type AgentPackage } from '../../packages/package.ts'
import { loadOneSkill, loadSkills } from '../../packages/skills.ts'
import type { KnownSkill, SkillUnderTest } from '../suite.ts'
import type { FieldsOption } from './vocabulary.ts'

/** Something that a search found and does not use. */
export interface SearchNote {
  /** Absolute path; `null` where it is about no one file. */
  readonly file: string | null
  /** One sentence. */
  readonly message: string
}

/** The suites of skills below a Vitest root. */
export interface SkillSuites {
  /** By absolute path of the suite file, sorted. */
  readonly suites: ReadonlyMap<string, SkillSuite>
  /** Those that an earlier search has found. */
  readonly earlier?: ReadonlyMap<string, SkillSuite>
  /** What was found and is not used. */
  readonly notes: readonly SearchNote[]
  /** Places that were looked at for skills without evals, relative to the root. */
  readonly lookedIn: readonly string[]
}

/** A suite file and the skill that it is about. */
export interface SkillSuite {
  /** The skill that owns the file; where its entries name their own, a substitute for cases without one. */
  readonly skill: SkillUnderTest
  /** Whether no skill owns the file. */
  readonly isShared?: boolean
  /** Every skill that an entry may name. Default: the one. */
  readonly skills?: readonly KnownSkill[]
  /** Why it is this skill, as a clause after its name. */
  readonly why?: string | undefined
  /** What else was found for this skill and is not used, one sentence each. */
  readonly notes: readonly string[]
}

/** What narrows the search. */
export interface SkillSearch {
  /** Absolute path of a folder or file that is taken instead of all places; `null` searches. */
  readonly evals: string | null
  /** Name of the skill that these evals are for; `null` tells by the place. */
  readonly skill: string | null
  /** The plugin's option `fields`. Default: none. */
  readonly fields?: FieldsOption
}

/** A skill that trigger queries are asked beside, wherever it is in the repository. Plain JSON. */
interface TrialSkill {
  /** The name that it is installed under. */
  readonly name: string
  /** Absolute path of its folder, or of a copy with another description. */
  readonly dir: string
}

/**
 * What `agent-evals triggers` changes of a run: every query sees these skills instead of the siblings of its own. Such a
 * run plays scenarios or asks the model, and neither plays nor writes recordings: those are of the skills as they are.
 */
export interface SkillTrial {
  readonly skills: readonly TrialSkill[]
}

/** Environment variable with the path of the trial's file: our own command sets it for the run that it starts. */
export const TRIAL_VARIABLE = 'AGENT_EVALS_SKILL_TRIAL'

/**
 * Reads the trial of this process; `null` where none was asked for.
 *
 * @throws {AgentEvalsError} `invalid-options` when the file cannot be read.
 */
export function readSkillTrial(environment: Readonly<Record<string, string | undefined>>): SkillTrial | null {
  const file = environment[TRIAL_VARIABLE]
  if (file === undefined || file === '') return null
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as SkillTrial
  } catch (cause) {
    const message = `${TRIAL_VARIABLE} names ${file}, which cannot be read. Unset it; npx vitest-agent-evals triggers sets it for its own runs.`
    throw new AgentEvalsError('invalid-options', message, { cause })
  }
}

/** What is installed for the cases of a skill. */
export interface SkillPackageRequest {
  /** The package that owns the suite. */
  readonly package: AgentPackage
  readonly skill: Pick<SkillUnderTest, 'dir' | 'name' | 'projectRoot'>
  /** A trigger query sees the skill beside its siblings, and of the package what is in every session of a user. */
  readonly isTrigger: boolean
  /** Skills that a trigger query sees instead of its siblings. */
  readonly trial?: SkillTrial | null
}

/**
 * The package as a case of one skill gets it. An artifact case gets the whole package that holds the skill, and only the
 * skill where it is in none: what else it needs is what overlays are for.
 */
export async function loadSkillPackage(request: SkillPackageRequest, disk: TrackedFs): Promise<AgentPackage> {
  const { package: pkg, skill, isTrigger, trial = null } = request
  const installed = skillIn(pkg, skill.dir)
  if (!isTrigger && installed !== undefined) return pkg
  const fs = followLinks(disk, pkg.root)
  const hasSiblings = isTrigger && skill.dir !== skill.projectRoot
  const dir = installed?.dir ?? skill.dir
  const folder = hasSiblings ? dirname(dir) : dir
  const { parts, findings } =
    isTrigger && trial !== null
      ? joinLoaded(await Promise.all(trial.skills.map((one) => loadOneSkill(one.dir, one.name, fs))))
      : hasSiblings
        ? await loadSkills(folder, pkg.layout, fs)
        : await loadOneSkill(dir, skill.name, fs)
  // A folder beside the skill that is none needs no word, and a broken sibling is no fault of the case.
  const ofSkills = findings.flatMap((finding) => {
    if (finding.part?.name === skill.name) return [finding]
    return finding.code === 'file-missing' ? [] : [{ ...finding, severity: 'warning' as const }]
  })
  const around = hasSiblings && installed !== undefined ? surroundingsOf(pkg) : null
  return barePackage({
    root: folder,
    reportRoot: pkg.root,
    skills: parts,
    ...around,
    findings: [...ofSkills, ...(around?.findings ?? [])],
  })
}

/** What of a package is in every session of its user beside the skills; `null` where it has none of it. */
function surroundingsOf(pkg: AgentPackage): Partial<AgentPackage> | null {
  const { root, layout, only, hookGroups, hooksFile, settings, imports, findings } = pkg
  // Rules and instructions beside a folder of skills are for those who work on it.
  const isInstalled = pkg.manifest !== null || layout !== undefined
  const rules = isInstalled ? pkg.rules : []
  const instructionsFile = isInstalled ? pkg.instructionsFile : null
  if (hookGroups.length === 0 && rules.length === 0 && instructionsFile === null && layout !== 'project') return null
  return {
    root,
    hookGroups,
    hooksFile,
    rules,
    instructionsFile,
    ...(layout === undefined ? {} : { layout }),
    ...(only === undefined ? {} : { only }),
    ...(settings === undefined ? {} : { settings }),
    ...(imports === undefined || !isInstalled ? {} : { imports }),
    findings: findings.filter(({ part }) => part === null || part.kind === 'hook' || part.kind === 'rule'),
  }
}
