import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { AgentEvalsError } from '../../errors.ts'
import { findSkill, namesOf, underTest } from './known-skills.ts'
import { indexCases } from '../case-index.ts'
import { isBelow, type FoundSkill } from './skill-index.ts'
import { pathBelow, pathFrom } from '../../packages/package-root.ts'
import { readSuiteValue } from '../suite-document.ts'
import { routable, type Repository } from './suite-owners.ts'
import { SKILL_SUITE_NAMES } from './suite-files.ts'
import { tryStat } from '../../files.ts'
import type { SkillSuites } from './skill-suites.ts'

/**
 * The suites at the path that the option `evals` names, and the skill that they are for.
 *
 * @throws {AgentEvalsError} `invalid-options` where there are none, or no skill.
 */
export function takeNamed({ root, skills, overlays }: Repository, path: string, asked: string | null): SkillSuites {
  const show = (file: string): string => pathFrom(root, file) || '.'
  const place = tryStat(path)
  if (place === undefined) throw refuse(`names ${path}, which does not exist.`)
  if (path !== root && pathBelow(root, path) === null) {
    throw refuse(`names ${path}, which is outside the Vitest root ${root}. Use a --root that contains both.`)
  }
  const files = place.isDirectory()
    ? SKILL_SUITE_NAMES.map((name) => join(path, name)).filter((file) => existsSync(file))
    : [path]
  if (files.length === 0) throw refuse(`names ${show(path)}, which contains neither evals.json nor triggers.json.`)

  const evalsDir = place.isDirectory() ? path : dirname(path)
  const found = asked === null ? skillOf(evalsDir, skills) : findSkill(asked, skills)
  if (found === null) {
    const names = skills.map(({ name }) => name).join(', ')
    throw refuse(
      `names ${show(path)}, which matches no skill. Set it with \`target\`: skill:<name>. There are: ${names || 'none'}.`,
    )
  }
  const skill = underTest(found, evalsDir)
  const why = asked === null ? 'which its path names' : 'which --target names'
  const suite = { skill, skills: routable({ root, skills, overlays }, skill), why, notes: [] }
  return {
    suites: new Map(files.map((file) => [file, suite])),
    cases: indexCases(files.map((file) => [file, readSuiteValue(file)])),
    notes: [],
    lookedIn: [],
  }
}

function refuse(what: string): AgentEvalsError {
  return new AgentEvalsError('invalid-options', `\`evals\` ${what}`)
}

// The skill around the folder, else the one that the folder is named after.
function skillOf(evalsDir: string, skills: readonly FoundSkill[]): FoundSkill | null {
  const around = skills.filter(({ dir }) => isBelow(evalsDir, dir))
  const [nearest] = around.toSorted((a, b) => b.dir.length - a.dir.length)
  return nearest ?? skills.find((skill) => namesOf(skill).includes(basename(evalsDir))) ?? null
}
